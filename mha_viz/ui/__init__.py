"""The only code that knows Streamlit."""
