// A label, a control, and what is wrong with it.

import { useId, type ReactNode } from 'react';

interface Attributes {
  id: string;
  'aria-invalid': boolean;
  'aria-describedby': string | undefined;
}

interface Props {
  label: string;
  error: string | undefined;
  children: (attributes: Attributes) => ReactNode;
}

export function Field({ label, error, children }: Props) {
  const id = useId();
  const isWrong = error !== undefined;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-invalid': isWrong, 'aria-describedby': isWrong ? `${id}-error` : undefined })}
      {isWrong && (
        <p className="form-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
