// Shown in place of the page when the room cannot be opened.

import { Component, type ReactNode } from 'react';
import { AlertTriangle } from 'lucide-react';
import { Header } from './Header.tsx';

export class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <>
        <Header />
        <main className="demo-opening">
          <div className="banner banner-danger" role="alert">
            <AlertTriangle size={16} aria-hidden="true" />
            <div>The demo stopped: {error instanceof Error ? error.message : 'an unknown error'}</div>
            <button type="button" className="button" onClick={() => location.reload()}>
              Start again
            </button>
          </div>
        </main>
      </>
    );
  }
}
