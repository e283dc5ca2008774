// The animation within the app. Streamlit calls this whenever the data or the theme changes.

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".mha-split");
  const view = mountSplitting(root, data, (state) => setStateValue("view", state));
  return () => {
    unmount(view);
    delete root.splitting;
  };
}
