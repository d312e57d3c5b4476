// The confirmation email of a form in one of the email editors.
import { Alert, Anchor, Box } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { ContentKind } from '../../content/shared.ts';
import { EmailComposer } from '../../content/web/index.ts';
import type { Form } from '../contract.ts';
import { CONFIRM_LINK } from '../shared.ts';
import { useConfirmationEmail } from './email-composing.ts';
import { useForm, viewPath } from './queries.ts';

export function ComposeConfirmation({ kind }: { kind: ContentKind }) {
  const form = useForm(useParam('form'));
  if (form.isLoadingError) return <FailedState error={form.error} retry={form.refetch} />;
  if (!form.data) return <LoadingState rows={8} />;
  return <ConfirmationEmail kind={kind} form={form.data.data} />;
}

function ConfirmationEmail({ kind, form }: { kind: ContentKind; form: Form }) {
  const t = useTexts('forms');
  return (
    <EmailComposer
      kind={kind}
      email={useConfirmationEmail(form)}
      frame={(choice) => (
        <Box p={{ base: 'md', sm: 'xl' }}>
          <Anchor component={Link} to={viewPath(form.id)}>
            <bdi>{form.title}</bdi>
          </Anchor>
          <Alert color="gray" my="md">
            {t('mail.note', { tag: `{{ ${CONFIRM_LINK} }}` })}
          </Alert>
          {choice}
        </Box>
      )}
    />
  );
}
