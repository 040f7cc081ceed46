// The default theme, with a component that draws the diagrams.

import DefaultTheme from 'vitepress/theme';
import './theme.css';
import Mermaid from './Mermaid.vue';

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }: Parameters<NonNullable<typeof DefaultTheme.enhanceApp>>[0]): void => {
    app.component('Mermaid', Mermaid);
  },
};
