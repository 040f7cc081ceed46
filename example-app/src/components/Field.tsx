// A label, a control, and the error of the control or of the form.

import { useId, type ReactNode } from 'react';
import { fieldsOf, messageOf } from '../api.ts';

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

/** An error that belongs to no field of the form. */
export function FormError({ error }: { error: Error | null }) {
  if (error === null || Object.keys(fieldsOf(error)).length > 0) return null;
  return (
    <p className="form-error" role="alert">
      {messageOf(error)}
    </p>
  );
}
