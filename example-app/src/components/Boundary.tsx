// Catches errors that a component throws while it renders. The rest of the page keeps working.

import { Component, type ReactNode } from 'react';
import { ServerCrash } from 'lucide-react';
import { useFocusAfter } from '../focus.ts';
import { Empty } from './Bits.tsx';

interface Props {
  /** A new key renders the children again, so that navigation leaves the error. */
  at: string;
  /** The name of the failed part, for the title. Default: the page. */
  what?: string;
  children: ReactNode;
}

interface State {
  at: string;
  hasFailed: boolean;
}

/** This is a class, because React has no hook for it. */
export class Boundary extends Component<Props, State> {
  override state: State = { at: this.props.at, hasFailed: false };

  static getDerivedStateFromError(): Partial<State> {
    return { hasFailed: true };
  }

  static getDerivedStateFromProps({ at }: Props, before: State): State | null {
    return at === before.at ? null : { at, hasFailed: false };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return <Broken what={this.props.what ?? 'page'} onRetry={() => this.setState({ hasFailed: false })} />;
  }
}

function Broken({ what, onRetry }: { what: string; onRetry: () => void }) {
  useFocusAfter('#page');
  return (
    <div className="broken" role="alert">
      <Empty
        icon={<ServerCrash size={28} />}
        title={`This ${what} cannot be shown`}
        isPage
        action={
          <>
            <button type="button" className="button" onClick={onRetry}>
              Try again
            </button>
            <button type="button" className="button" onClick={() => location.reload()}>
              Reload the page
            </button>
          </>
        }
      >
        An error occurred while it was displayed. Your drafts are kept.
      </Empty>
    </div>
  );
}
