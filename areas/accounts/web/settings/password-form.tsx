// A new password in place of the current one; every other session ends with it.
import { useServerForm } from '#platform/web/forms.ts';
import { toast } from '#platform/web/notices.tsx';
import { touch } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { PASSWORD_LEAST } from '../../limits.ts';
import { PasswordField } from '../sign-in-form.tsx';
import { passwordFault } from '../sign-in-service.ts';
import { api, SESSIONS } from './queries.ts';
import { SectionForm } from './section.tsx';

export function PasswordForm({ id, email }: { id: string; email: string }) {
  const t = useTexts('accounts');
  const { form, isBusy, submit } = useServerForm({
    initialValues: { current: '', password: '' },
    validate: {
      current: (current) => (current === '' ? t('fields.passwordRequired') : null),
      password: (password) => {
        const key = passwordFault(password);
        return key && t(key, { count: PASSWORD_LEAST });
      },
    },
    send: async (body) => {
      await api('POST /client-api/api/users/{id}/password', { params: { id }, body });
      form.reset();
      toast(t('profile.passwordChanged'));
      await touch(SESSIONS);
    },
  });
  return (
    <SectionForm
      onSubmit={submit}
      isBusy={isBusy}
      isChanged={form.isDirty()}
      verb={t('profile.changePassword')}
    >
      {/* Lets password managers see whose password it is. */}
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <PasswordField
        autoComplete="current-password"
        label={t('profile.currentPassword')}
        {...form.getInputProps('current')}
      />
      <PasswordField
        autoComplete="new-password"
        label={t('reset.password')}
        description={t('fields.passwordShort', { count: PASSWORD_LEAST })}
        {...form.getInputProps('password')}
      />
    </SectionForm>
  );
}
