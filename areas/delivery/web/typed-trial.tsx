// Tries a mail server as it stands in its form, before anything is saved.
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import { type Form, focusFirstError, landOnFields } from '#platform/web/forms.ts';
import type { Relay } from '../relays-contract.ts';
import { api } from './queries.ts';
import { type RelayForm, typedOf } from './relay-form.ts';
import type { Tried } from './trial-dialog.tsx';

const TrialDialog = lazy(() => import('./trial-dialog.tsx'));
/** What a trial needs; a name it does not. */
const NEEDED = ['host', 'username'] as const;

/** `relay` is the one that is being changed; the dialog stands outside of the form, which would be sent by it. */
export function useTypedTrial(
  form: Form<RelayForm>,
  relay: Relay | undefined,
): { begin: () => void; dialog: ReactNode } {
  const [tried, setTried] = useState<Tried>();
  const [isRefused, setRefused] = useState(false);
  // Loaded when first opened, then kept: a closing dialog gives the focus back.
  const wasOpened = useRef(false);
  wasOpened.current ||= tried !== undefined;
  const begin = () => {
    const faults = NEEDED.filter((field) => form.validateField(field).hasError);
    if (faults.length > 0) return focusFirstError();
    const typed = typedOf(form.getValues(), relay);
    const attempt: Tried['attempt'] = async (from) => {
      try {
        const { data } = await api('POST /client-api/api/relays/test', {
          body: { ...typed, from },
        });
        return data;
      } catch (error) {
        if (!landOnFields(form, error)) throw error;
        // What is wrong stands in the form, far above the button that began this.
        setRefused(true);
        setTried(undefined);
        return undefined;
      }
    };
    setRefused(false);
    setTried({ title: typed.title, username: typed.username, attempt });
  };
  const dialog = (
    <Suspense fallback={null}>
      {wasOpened.current && (
        <TrialDialog
          tried={tried}
          close={() => setTried(undefined)}
          focus={isRefused ? focusFirstError : undefined}
        />
      )}
    </Suspense>
  );
  return { begin, dialog };
}
