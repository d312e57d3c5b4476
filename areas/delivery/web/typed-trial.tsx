// Tests a mail server with the settings in its form, before saving.
import { type ReactNode, Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { type FormHandle, focusFirstError, landOnFields } from '#platform/web/forms.ts';
import type { RelayView } from '../relays-contract.ts';
import { api } from './queries.ts';
import { type RelayForm, createTestBody } from './relay-form.ts';
import type { TestedRelay } from './trial-dialog.tsx';
import { useWasOpened } from '#platform/web/hooks/use-was-opened.ts';

const TrialDialog = lazyWithRetry(() => import('./trial-dialog.tsx'));
/** Fields that a test requires; a name is not needed. */
const NEEDED = ['host', 'username'] as const;

/**
 * `start` opens the dialog of the test. `dialog` must be rendered outside of the form, because
 * submitting the dialog's form would also submit the relay's form. `relay` is the relay whose
 * settings are being changed.
 */
export function useTypedTrial(
  form: FormHandle<RelayForm>,
  relay: RelayView | undefined,
): { start: () => void; dialog: ReactNode } {
  const [tried, setTried] = useState<TestedRelay>();
  const [isRefused, setRefused] = useState(false);
  const wasOpened = useWasOpened(tried !== undefined);
  const start = () => {
    const invalidFields = NEEDED.filter((field) => form.validateField(field).hasError);
    if (invalidFields.length > 0) return focusFirstError();
    const typedRelay = createTestBody(form.getValues(), relay);
    const attempt: TestedRelay['attempt'] = async (from) => {
      try {
        const { data } = await api('POST /client-api/api/relays/test', {
          body: { ...typedRelay, from },
        });
        return data;
      } catch (error) {
        if (!landOnFields(form, error)) throw error;
        // The errors are shown at the fields of the form, so the dialog closes and the first of
        // them gets the focus.
        setRefused(true);
        setTried(undefined);
        return undefined;
      }
    };
    setRefused(false);
    setTried({ title: typedRelay.title, username: typedRelay.username, attempt });
  };
  const dialog = (
    <Suspense fallback={null}>
      {wasOpened && (
        <TrialDialog
          testedRelay={tried}
          close={() => setTried(undefined)}
          focus={isRefused ? focusFirstError : undefined}
        />
      )}
    </Suspense>
  );
  return { start, dialog };
}
