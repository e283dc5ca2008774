"""What `make` runs besides the app; standard library only, except where a browser is needed."""
