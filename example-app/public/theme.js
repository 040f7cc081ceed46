// Applies the stored theme before the first paint. ThemeSwitch.tsx changes it.
try {
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {} // Without storage, the page follows the system.
