// The command that installs the packages, and the way to the documentation.

import { useEffect, useRef, useState } from 'react';
import { ArrowRight, Check, Copy } from 'lucide-react';

export const quickStart = '/docs/start/quick-start.md';
const command = 'npm install @edict/core @edict/react @edict/server';
const confirmedMs = 2000;

export function Install() {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), confirmedMs);
    return () => clearTimeout(timer);
  }, [isCopied]);

  const text = useRef<HTMLSpanElement>(null);
  /** Browsers have a clipboard only over HTTPS and on localhost. Elsewhere the command is selected and copied. */
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(command);
    } catch {
      if (text.current !== null) getSelection()?.selectAllChildren(text.current);
      // The user can copy the selection where the browser refuses.
      if (!document.execCommand('copy')) return;
    }
    setCopied(true);
  }

  return (
    <div className="install">
      <div className="install-box">
        <code>
          <span aria-hidden="true" className="install-prompt">
            ${' '}
          </span>
          <span ref={text}>{command}</span>
        </code>
        <button
          type="button"
          className="icon-button"
          aria-label="Copy the command"
          onClick={() => void copy()}
        >
          {isCopied ? <Check size={15} aria-hidden="true" /> : <Copy size={15} aria-hidden="true" />}
        </button>
        <span role="status" className="unseen">
          {isCopied ? 'Copied' : ''}
        </span>
      </div>
      <p className="install-note">
        Not on npm yet. Until the first release,{' '}
        <a href={`${quickStart}#before-the-first-release`}>install from a checkout</a>.
      </p>
      <p className="install-links">
        <a href={quickStart}>
          Quick start
          <ArrowRight size={14} aria-hidden="true" />
        </a>
        <a href="#code">See the code</a>
        <a href="/docs/README.md">Documentation</a>
      </p>
    </div>
  );
}
