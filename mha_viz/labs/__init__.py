"""Trainings and measurements that a page can run: pure functions that yield progress. No Streamlit inside."""
