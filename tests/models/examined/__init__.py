"""Small attention modules to be examined: right ones in several styles, and wrong ones, each with one thing wrong."""
