// The theme is set before the first paint, so that a dark page does not flash white. This is not
// a module because modules run after that.
"use strict";
(() => {
  const key = "delta-theme";
  const root = document.documentElement;
  const put = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  const read = () => { try { return localStorage.getItem(key) ?? "system"; } catch { return "system"; } };
  put(read());
  window.deltaTheme = {
    read,
    next() {
      const theme = { system: "light", light: "dark", dark: "system" }[read()] ?? "system";
      try { localStorage.setItem(key, theme); } catch { /* it holds until the page is closed */ }
      put(theme);
      return theme;
    },
  };
})();
