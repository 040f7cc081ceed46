import type { ReactElement, ReactNode } from 'react';

function Icon({ children, size = 16 }: { children: ReactNode; size?: number }): ReactElement {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export function Mark(): ReactElement {
  return (
    <svg className="mark" width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
      <rect width="18" height="18" rx="5" fill="var(--accent)" />
      <path
        d="M5 5.4h5.4M5 9h3.4M5 12.6h5.4"
        stroke="var(--on-accent)"
        strokeWidth="1.9"
        strokeLinecap="round"
      />
      <circle cx="12.2" cy="9" r="1.45" fill="var(--on-accent)" />
    </svg>
  );
}

export function Close(): ReactElement {
  return (
    <Icon>
      <path d="m4 4 8 8m0-8-8 8" />
    </Icon>
  );
}

export function Refetch(): ReactElement {
  return (
    <Icon size={14}>
      <path d="M13.2 8a5.2 5.2 0 1 1-1.6-3.75M13.4 2.2v2.9h-2.9" />
    </Icon>
  );
}

export function Stale(): ReactElement {
  return (
    <Icon size={14}>
      <circle cx="8" cy="8" r="5.6" />
      <path d="M8 4.9V8l2.1 1.4" />
    </Icon>
  );
}

export function Eye(): ReactElement {
  return (
    <Icon size={13}>
      <path d="M1.6 8S4 3.8 8 3.8 14.4 8 14.4 8 12 12.2 8 12.2 1.6 8 1.6 8Z" />
      <circle cx="8" cy="8" r="1.9" />
    </Icon>
  );
}
