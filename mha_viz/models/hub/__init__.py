"""Models from the Hugging Face Hub, its local cache or a folder, up to the files on the disk. No torch, no transformers here."""
