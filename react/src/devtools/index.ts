export type { DLDevtoolsProps } from './DLDevtools.tsx';
export { DLDevtools } from './DLDevtools.tsx';
