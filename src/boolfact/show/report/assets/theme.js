// ---- Light or dark: as the system says, until the reader switches.
const root = document.documentElement, themeButton = byId("theme");
const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
const whenThemeChanges = [];
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : systemDark.matches);
function themeChanged() {
  themeButton.textContent = isDark() ? "Light colours" : "Dark colours";
  for (const act of whenThemeChanges) act();
}
function remembered(value) {
  // A browser may forbid a page from a file to remember anything.
  try {
    if (value === undefined) return localStorage.getItem("boolfact-theme");
    localStorage.setItem("boolfact-theme", value);
  } catch { /* then the choice holds until the page is closed */ }
  return null;
}
if (["light", "dark"].includes(remembered())) root.dataset.theme = remembered();
themeButton.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  remembered(root.dataset.theme);
  themeChanged();
});
systemDark.addEventListener("change", themeChanged);
themeButton.hidden = false;
themeChanged();
