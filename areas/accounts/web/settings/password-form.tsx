// Replaces the password. This ends every other session, and the API tokens and SMTP users that the
// user selects.
import { Checkbox, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useServerForm } from '#platform/web/forms.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { MIN_PASSWORD } from '../../shared.ts';
import { PasswordField } from '../sign-in-form.tsx';
import { findPasswordIssue } from '../sign-in-service.ts';
import type { AccessKey } from '../../settings-contract.ts';
import { ACCESS_KEYS, api, INVITATIONS, SESSIONS, SMTP_USERS, TOKENS } from './queries.ts';
import { SectionForm } from './section.tsx';

export function PasswordForm({ id, email }: { id: string; email: string }) {
  const t = useTexts('accounts');
  const keys = useQuery(
    api.query('GET /client-api/api/users/{id}/access_keys', { params: { id } }),
  );
  const { form, isBusy, submit } = useServerForm({
    initialValues: { current: '', password: '', end: [] as string[] },
    validate: {
      current: (current) => (current === '' ? t('fields.passwordRequired') : null),
      password: (password) => {
        const key = findPasswordIssue(password);
        return key && t(key, { count: MIN_PASSWORD });
      },
    },
    send: async (body) => {
      await api('POST /client-api/api/users/{id}/password', { params: { id }, body });
      form.reset();
      toast(t('profile.passwordChanged'));
      await invalidate(SESSIONS, INVITATIONS, TOKENS, SMTP_USERS, ACCESS_KEYS(id));
    },
  });
  return (
    <SectionForm
      onSubmit={submit}
      isBusy={isBusy}
      isChanged={form.isDirty()}
      submitLabel={t('profile.changePassword')}
    >
      {/* Lets password managers identify the account of the password. */}
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <PasswordField
        autoComplete="current-password"
        label={t('profile.currentPassword')}
        {...form.getInputProps('current')}
      />
      <PasswordField
        autoComplete="new-password"
        label={t('reset.password')}
        description={t('fields.passwordShort', { count: MIN_PASSWORD })}
        {...form.getInputProps('password')}
      />
      <AccessKeys keys={keys.data?.data ?? []} {...form.getInputProps('end')} />
    </SectionForm>
  );
}

/**
 * Lists the API tokens and SMTP users, which remain valid after the change unless they are selected
 * here.
 */
function AccessKeys({ keys, ...input }: { keys: readonly AccessKey[] }) {
  const t = useTexts('accounts');
  const { relative } = useFormats();
  if (keys.length === 0) return null;
  const haveSeveralAccounts = new Set(keys.map(({ account }) => account)).size > 1;
  return (
    <Checkbox.Group
      label={t('profile.endAccess')}
      description={t('profile.endAccessText')}
      {...input}
    >
      <Stack gap="xs" mt="xs">
        {keys.map(({ id, kind, title, account, last_used }) => {
          const lastUse = last_used
            ? t('profile.accessUsed', { when: relative(last_used) })
            : t('profile.accessUnused');
          return (
            <Checkbox
              key={id}
              value={id}
              label={t(kind === 'token' ? 'profile.accessToken' : 'profile.accessSmtp', { title })}
              description={haveSeveralAccounts ? `${lastUse} · ${account}` : lastUse}
            />
          );
        })}
      </Stack>
    </Checkbox.Group>
  );
}
