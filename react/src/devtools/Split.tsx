// A list and the details of its active row. Enter in the list moves the focus to the details. Escape in the details closes them.

import * as React from 'react';

interface SplitProps {
  /** Null while there are no details. */
  readonly activeKey: string | null;
  readonly onClose: () => void;
  readonly children: React.ReactNode;
}

export function Split({ activeKey, onClose, children }: SplitProps): React.ReactElement {
  const box = React.useRef<HTMLDivElement>(null);
  const isInDetail = React.useRef(false);

  // A control in the details can change the active row, which removes the control. The focus would then be lost.
  React.useEffect(() => {
    const element = box.current;
    if (element === null || !isInDetail.current) return;
    const { activeElement } = element.getRootNode() as ShadowRoot; // The panel is in a shadow root.
    if (activeKey === null) element.querySelector<HTMLElement>('.list')?.focus();
    else if (!activeElement?.closest('.detail')) element.querySelector<HTMLElement>('.detail')?.focus();
  }, [activeKey]);

  function onKeyDown(event: React.KeyboardEvent): void {
    const { target, key } = event;
    if (!(target instanceof Element) || event.defaultPrevented) return;
    if (key === 'Enter' && target.matches('.list'))
      box.current?.querySelector<HTMLElement>('.detail')?.focus();
    else if (key === 'Escape' && target.closest('.detail') !== null) onClose();
    else return;
    event.preventDefault();
  }

  return (
    <div
      ref={box}
      className="split"
      data-detail={activeKey !== null}
      onKeyDown={onKeyDown}
      onFocus={({ target }) => (isInDetail.current = target.closest('.detail') !== null)}
    >
      {children}
    </div>
  );
}
