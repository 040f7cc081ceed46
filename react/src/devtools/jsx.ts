// What JSX compiles to in the published bundle.

export { createElement, Fragment } from 'react';
