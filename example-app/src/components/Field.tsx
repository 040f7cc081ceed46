// A label, a control, and the error of the control or of the form.

import { useEffect, useId, type ReactNode } from 'react';
import { fieldsOf, messageOf } from '../api.ts';
import { focusWrongField, takesFocus } from '../focus.ts';

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

/** The texts of a ticket. */
export interface Texts {
  subject: string;
  body: string;
}

interface TextFieldsProps extends Texts {
  /** The height of the description. */
  rows: number;
  errors: Readonly<Record<string, string>>;
  onChange: (change: Partial<Texts>) => void;
}

/** The first fields of a form about a ticket. The subject receives the focus. */
export function TextFields({ subject, body, rows, errors, onChange }: TextFieldsProps) {
  return (
    <>
      <Field label="Subject" error={errors['subject']}>
        {(attributes) => (
          <input
            {...attributes}
            ref={takesFocus}
            value={subject}
            required
            data-first-focus
            onChange={({ target }) => onChange({ subject: target.value })}
          />
        )}
      </Field>
      <Field label="Description" error={errors['body']}>
        {(attributes) => (
          <textarea
            {...attributes}
            rows={rows}
            value={body}
            required
            onChange={({ target }) => onChange({ body: target.value })}
          />
        )}
      </Field>
    </>
  );
}

/** The error of a form: moves the focus to the first wrong field, or shows what belongs to none. */
export function FormError({ error }: { error: Error | null }) {
  useEffect(() => {
    if (error !== null) focusWrongField();
  }, [error]);
  if (error === null || Object.keys(fieldsOf(error)).length > 0) return null;
  return (
    <p className="form-error" role="alert">
      {messageOf(error)}
    </p>
  );
}
