// The confirmation email: opens the editor that created it; offers templates and the other editors
// if it does not exist yet, or for a replacement (`?choose=1`).
import { Alert, Anchor, Box } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { Suspense } from 'react';
import { flag, useAddress } from '#platform/web/api/address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { DocumentEditor, EditorChoice } from '../../content/web/index.ts';
import type { Form } from '../contract.ts';
import { CONFIRM_LINK, EMAIL_CALLS } from '../shared.ts';
import { touchesOf, useComposing } from './mail-composing.ts';
import { confirmationEditorPath, confirmationPath, useForm, viewPath } from './queries.ts';

const address = { choose: flag() };

export default function EmailDesignScreen() {
  const id = useParam('form');
  const [{ choose }] = useAddress(address);
  const form = useForm(id);
  if (form.isLoadingError) return <FailedState error={form.error} retry={form.refetch} />;
  if (!form.data) return <LoadingState rows={4} />;
  const { data } = form.data;
  if (choose || data.mail_editor === null) return <Choice form={data} />;
  if (data.mail_editor !== 'editor')
    return <Redirect to={confirmationEditorPath(id, data.mail_editor)} />;
  return <Design form={data} />;
}

function Design({ form }: { form: Form }) {
  const composing = useComposing(form);
  return (
    <Suspense fallback={<LoadingState rows={8} />}>
      <DocumentEditor composing={composing} />
    </Suspense>
  );
}

function Choice({ form }: { form: Form }) {
  const { id } = form;
  const t = useTexts('forms');
  const navigate = useNavigate();
  return (
    <Box p={{ base: 'md', sm: 'xl' }}>
      <Anchor component={Link} to={viewPath(id)}>
        <bdi>{form.title}</bdi>
      </Anchor>
      <Alert color="gray" my="md">
        {t('mail.note', { tag: `{{ ${CONFIRM_LINK} }}` })}
      </Alert>
      <Suspense fallback={<LoadingState rows={6} />}>
        <EditorChoice
          email={{ base: EMAIL_CALLS, id }}
          editor={form.mail_editor}
          revision={form.mail_revision}
          touches={touchesOf(id)}
          current={confirmationPath(id, 'editor')}
          onTemplate={() => void navigate({ to: confirmationPath(id, 'editor'), replace: true })}
          onOther={(kind) =>
            void navigate({ to: confirmationEditorPath(id, kind), search: { begin: '1' } as never })
          }
        />
      </Suspense>
    </Box>
  );
}
