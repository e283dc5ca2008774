"""An attention module examined: how it is called is found out, then each check runs on it and says why it passed or failed."""
