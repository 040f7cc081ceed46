// Drafts for tickets that the user can no longer open.

import { focusPage } from '../focus.ts';
import { useCommentDraft } from './Composer.tsx';
import { useEditDraft } from './EditTicket.tsx';
import { Field } from './Field.tsx';

export function LeftDrafts({ id }: { id: number }) {
  const comment = useCommentDraft(id);
  const edit = useEditDraft(id);
  const texts = [
    { label: 'Your comment', text: comment.draft?.text, base: '' },
    { label: 'Your subject', text: edit.draft?.subject, base: edit.draft?.base.subject },
    { label: 'Your description', text: edit.draft?.body, base: edit.draft?.base.body },
  ].filter(({ text, base }) => text !== base && text !== undefined && text !== '');
  if (texts.length === 0) return null;

  return (
    <section className="left-drafts" aria-label="Your drafts">
      <p>Your drafts are still here. Copy what you need.</p>
      {texts.map(({ label, text }) => (
        <Field key={label} label={label} error={undefined}>
          {(attributes) => <textarea {...attributes} rows={4} readOnly value={text} />}
        </Field>
      ))}
      <button
        type="button"
        className="button"
        onClick={() => {
          comment.keep(null);
          edit.keep(null);
          focusPage();
        }}
      >
        Discard
      </button>
    </section>
  );
}
