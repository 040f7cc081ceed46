import { ArrowRight, LifeBuoy } from 'lucide-react';
import type { ReactNode } from 'react';
import { Install } from './Install.tsx';
import { ThemeSwitch } from '../components/ThemeSwitch.tsx';

/** `children`: controls of the open room. */
export function Header({ children }: { children?: ReactNode }) {
  return (
    <header className="demo-head">
      <div className="demo-bar">
        <p className="demo-brand">
          <LifeBuoy size={20} aria-hidden="true" />
          <span>Edict</span>
        </p>
        <nav aria-label="Further pages">
          {children}
          <ThemeSwitch />
          <a className="button" href="/sign-in">
            Open the desk
            <ArrowRight size={15} aria-hidden="true" />
          </a>
        </nav>
      </div>
      <div className="hero">
        <div>
          <h1>Live data on your own API.</h1>
          <p className="demo-lead">
            Your server announces what changed, and every browser refetches exactly that. Cut a wire below:
            nothing is lost, because a browser <strong>notices what it missed and repairs itself</strong>.
            Without Edict, it stays wrong.
          </p>
        </div>
        <Install />
      </div>
    </header>
  );
}

export function Footer() {
  return (
    <footer className="demo-foot">
      <p>
        Both people are real clients: each has its own data layer, client id, and event stream to the server
        of this page. Only the wire is disturbed, in the browser. The other colleagues are simulated by the
        server.
      </p>
      <nav aria-label="Documentation">
        <a href="/docs/README.md">Documentation</a>
        <a href="/docs/start/comparison.md">Comparison</a>
        <a href="/docs/internals/correctness.md">Why no update is lost</a>
        <a href="/sign-in">The desk</a>
      </nav>
    </footer>
  );
}
