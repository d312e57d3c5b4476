// The Idempotency-Key of a form: one UUID per body, so that repeating an identical body after a
// lost response has no second effect, and a changed body is a new call. User text must not be in a
// header: browsers refuse all but Latin-1 there.
import { useRef } from 'react';

export function useIdempotencyKey(): (body: object) => string {
  const last = useRef({ body: '', key: '' });
  return (body) => {
    const serialized = JSON.stringify(body);
    if (last.current.body !== serialized) {
      last.current = { body: serialized, key: crypto.randomUUID() };
    }
    return last.current.key;
  };
}
