// The frame of the details beside a list.

import type { ReactElement, ReactNode } from 'react';
import { Close } from './icons.tsx';

interface DetailProps {
  /** The content before the title. */
  readonly mark: ReactNode;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export const NoDetail = ({ children }: { children: string }): ReactElement => (
  <div role="group" className="detail" aria-label="Details" tabIndex={-1}>
    <p className="empty">{children}</p>
  </div>
);

export const Detail = ({ mark, title, onClose, children }: DetailProps): ReactElement => (
  <div role="group" className="detail" aria-label="Details" tabIndex={-1}>
    <div className="head">
      {mark}
      <h2>{title}</h2>
      <button type="button" className="icon" aria-label="Close details" onClick={onClose}>
        <Close />
      </button>
    </div>
    {children}
  </div>
);
