// Contains the error of a view, such as that of a damaged session. Without a boundary, React would remove the whole application from the page.

import * as React from 'react';
import type { Session } from './session.ts';

interface Props {
  readonly session: Session;
  readonly children: React.ReactNode;
}

interface State {
  /** The session that the view could not show. */
  readonly session: Session | null;
  readonly hasFailed: boolean;
}

/** React has no hook for this, so it is a class. */
export class ViewBoundary extends React.Component<Props, State> {
  override state: State = { session: null, hasFailed: false };

  static getDerivedStateFromProps({ session }: Props, state: State): State | null {
    return session === state.session ? null : { session, hasFailed: false };
  }

  static getDerivedStateFromError(): Pick<State, 'hasFailed'> {
    return { hasFailed: true };
  }

  override render(): React.ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <p className="empty" role="alert">
        This view cannot show the session. The console contains the error.
      </p>
    );
  }
}
