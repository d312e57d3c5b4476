// The terms of service of SMS, which a user accepts by entering a name.
import { useNavigate } from '@tanstack/react-router';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { TermsForm } from '../compliance/terms-form.tsx';
import { compliancePath } from '../paths.ts';

export default function TermsScreen() {
  const t = useTexts('sms');
  const id = useParam('phone');
  const navigate = useNavigate();
  return (
    <Page
      title={t('compliance.terms')}
      back={{ to: compliancePath(id), label: t('compliance.title') }}
    >
      <TermsForm id={id} onDone={() => navigate({ to: compliancePath(id) })} />
    </Page>
  );
}
