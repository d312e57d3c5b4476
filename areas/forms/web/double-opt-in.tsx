// Double opt-in: whether subscribers confirm by email, and the confirmation email.
import { Button, Group, Stack, Switch, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { type FormHandle as FormOf, useServerForm } from '#platform/web/forms.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { EmailInput } from '#platform/web/ui/email-input.tsx';
import { TestToolNote } from '#platform/web/ui/test-tools.tsx';
import { isEmail } from '#platform/web/validators.ts';
import type { Form } from '../contract.ts';
import { defaultTexts } from '../default-texts.ts';
import { api, LIST_PATH, confirmationPath } from './queries.ts';
import classes from './view-screen.module.css';

type DoubleOptInValues = {
  double_opt_in: boolean;
  subject: string;
  from_name: string;
  from_email: string;
};

export function DoubleOptIn({
  form: { id, settings, document, mail_editor: emailEditor },
}: {
  form: Form;
}) {
  const t = useTexts('forms');
  const { account, user } = useSession();
  const { confirmation } = settings;
  const { form, isBusy, submit } = useServerForm<DoubleOptInValues>({
    initialValues: {
      double_opt_in: settings.double_opt_in,
      subject: confirmation.subject || defaultTexts(document.language).confirmSubject,
      from_name: confirmation.from_name || account.title,
      from_email: toUnicodeDomain(confirmation.from_email || user.email),
    },
    validate: {
      from_email: (value, { double_opt_in }) =>
        double_opt_in && !isEmail(value.trim()) ? t('optIn.emailInvalid') : null,
    },
    send: async (values) => {
      await api('PUT /client-api/api/forms/{id}/double_opt_in', { params: { id }, body: values });
      form.resetDirty();
      await invalidate(LIST_PATH);
      toast(t('optIn.saved'));
    },
  });
  const values = form.getValues();
  return (
    <section className={classes.panel} aria-labelledby="double-opt-in">
      <h2 id="double-opt-in" className={classes.title}>
        {t('optIn.title')}
      </h2>
      <p className={classes.muted}>{t('optIn.text')}</p>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <Switch
            label={t('optIn.switch')}
            {...form.getInputProps('double_opt_in', { type: 'checkbox' })}
          />
          {values.double_opt_in && (
            <EmailFields form={form} hasDefaultText={emailEditor === null} />
          )}
          <Group>
            {form.isDirty() && (
              <Button type="submit" loading={isBusy}>
                {t('save')}
              </Button>
            )}
            {values.double_opt_in && !form.isDirty() && (
              <Button component={Link} to={confirmationPath(id, 'editor')} variant="default">
                {t('optIn.edit')}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </section>
  );
}

/** Fields for the sender and the subject of the confirmation email, and a preview of them. */
function EmailFields({
  form,
  hasDefaultText,
}: {
  form: FormOf<DoubleOptInValues>;
  hasDefaultText: boolean;
}) {
  const t = useTexts('forms');
  const values = form.getValues();
  return (
    <>
      <TextInput
        label={t('optIn.subject')}
        maxLength={255}
        dir="auto"
        {...form.getInputProps('subject')}
      />
      <TextInput
        label={t('optIn.fromName')}
        maxLength={64}
        autoComplete="organization"
        {...form.getInputProps('from_name')}
      />
      <EmailInput label={t('optIn.fromEmail')} required {...form.getInputProps('from_email')} />
      <TestToolNote tool="inbox" />
      <div className={classes.mail}>
        <p className={classes.muted}>{t('optIn.preview')}</p>
        <p>
          <strong>
            <bdi>{values.from_name || values.from_email}</bdi>
          </strong>
        </p>
        <p dir="auto">{values.subject}</p>
        <p className={classes.muted}>{t(hasDefaultText ? 'optIn.ownWords' : 'optIn.written')}</p>
      </div>
    </>
  );
}
