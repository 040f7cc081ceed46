// The functions that compiled JSX calls in the published bundle.

export { createElement, Fragment } from 'react';
