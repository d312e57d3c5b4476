// The rights of another user of the account.
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { AccountUser } from '../../settings-contract.ts';
import { api, USERS } from './queries.ts';
import { RightsFields } from './rights-fields.tsx';
import { SectionForm } from './section.tsx';
import { useSavedForm } from './use-kept-form.ts';

export default function RightsForm({ user }: { user: AccountUser }) {
  const t = useTexts('accounts');
  const { form, isBusy, submit } = useSavedForm(`rights:${user.id}`, {
    initialValues: { denied: user.denied },
    send: async ({ denied }) => {
      await api('PUT /client-api/api/account_users/{id}/rights', {
        params: { id: user.id },
        body: { denied },
      });
      toast(t('settings.saved'));
      await invalidate(USERS);
    },
  });
  return (
    <SectionForm onSubmit={submit} isBusy={isBusy} isChanged={form.isDirty()}>
      <RightsFields
        denied={form.getValues().denied}
        onChange={(denied) => form.setFieldValue('denied', denied)}
      />
    </SectionForm>
  );
}
