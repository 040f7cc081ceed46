// A list that could not be loaded.

interface Props {
  error: Error;
  onRetry: () => void;
}

export function LoadError({ error, onRetry }: Props) {
  return (
    <p className="screen-note" role="alert">
      {error.message}
      <button type="button" className="button" onClick={onRetry}>
        Try again
      </button>
    </p>
  );
}
