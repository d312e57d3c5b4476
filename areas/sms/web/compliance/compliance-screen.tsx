// Carrier compliance of a number: the requirements before it can send, and their state.
import { Alert, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { Compliance } from '../../contract.ts';
import { useCompliance } from './compliance.ts';
import { NumberProof } from '../senders/number-proof.tsx';
import { compliancePath } from '../paths.ts';
import { PhoneState } from '../senders/phone-state.tsx';
import { api, PHONES } from '../queries.ts';
import { finishReturn, readReturn, returnWithSender } from '../return-target.ts';
import { SmsTestNote } from '../test-note.tsx';
import { TermsForm } from './terms-form.tsx';

export default function ComplianceScreen() {
  const id = useParam('phone');
  const compliance = useCompliance(id);
  if (compliance.isLoadingError)
    return <FailedState error={compliance.error} retry={() => void compliance.refetch()} />;
  if (!compliance.data) return <LoadingState rows={6} />;
  return <Overview id={id} compliance={compliance.data.data} />;
}

function Overview({ id, compliance }: { id: string; compliance: Compliance }) {
  const t = useTexts('sms');
  const { dateTime } = useFormats();
  const { phone, terms, verification } = compliance;
  const { value } = phone;
  const isAgreed = terms?.is_current ?? false;
  const isSubmitted = !['draft', 'rejected'].includes(verification.status);
  const isComplete = isAgreed && (phone.kind !== 'toll_free' || isSubmitted);
  return (
    <Page
      title={t('compliance.title')}
      status={<PhoneState phone={phone} />}
      description={t(phone.status === 'active' ? 'compliance.done' : 'compliance.intro', { value })}
      back={{ to: '/settings/phone', label: t('phones.title') }}
    >
      <Stack gap="md" maw={720}>
        {phone.missing.includes('owner') && (
          <OwnerOpen isShared={phone.is_shared} hasOperator={compliance.owner.has_operator} />
        )}
        {compliance.owner.by_code && <NumberProof compliance={compliance} />}
        {terms && isAgreed ? (
          <ComplianceStep
            title={t('compliance.terms')}
            state={t('compliance.termsAgreed', { name: terms.name, time: dateTime(terms.at) })}
            to={`${compliancePath(id)}/terms-of-service`}
            actionLabel={t('compliance.read')}
            isDone
            isNext
          />
        ) : (
          <Paper withBorder p="md">
            <Text component="h2" fw={600} mb="sm">
              {t('compliance.terms')}
            </Text>
            <TermsForm id={id} />
          </Paper>
        )}
        {phone.kind === 'toll_free' && (
          <>
            <ComplianceStep
              title={t('compliance.verification')}
              state={[t(`compliance.states.${verification.status}`), verification.reason]
                .filter(Boolean)
                .join(': ')}
              to={`${compliancePath(id)}/toll-free-number-verification`}
              actionLabel={t('compliance.fill')}
              isDone={isSubmitted}
              isNext={isAgreed}
            />
            {verification.status === 'submitted' && !verification.is_forwarded && (
              <Decision id={id} />
            )}
          </>
        )}
        {isComplete && <Continue phone={id} isActive={phone.status === 'active'} />}
        <SmsTestNote />
      </Stack>
    </Page>
  );
}

/** Leads back to the campaign or workflow that needs the sender, or else to a new campaign. */
function Continue({ phone, isActive }: { phone: string; isActive: boolean }) {
  const t = useTexts('sms');
  const target = readReturn();
  if (target === undefined && !isActive) return null;
  const onClick = () => {
    finishReturn();
    if (target === undefined || target.takesSender) returnWithSender(phone);
  };
  return (
    <div>
      <Button component={Link} to={target?.to ?? '/sms/create'} onClick={onClick}>
        {t(`return.${target?.kind ?? 'create'}`)}
      </Button>
    </div>
  );
}

/** Explains that the sender cannot be used until its ownership is proven. */
function OwnerOpen({ isShared, hasOperator }: { isShared: boolean; hasOperator: boolean }) {
  const t = useTexts('sms');
  return (
    <Alert color={isShared ? 'danger' : 'warning'} title={t('owner.title')}>
      {t(isShared ? 'owner.shared' : 'owner.waits')}
      {!hasOperator && ` ${t('owner.noOperator')}`}
    </Alert>
  );
}

interface PartProps {
  title: string;
  state: string;
  to: string;
  actionLabel: string;
  isDone: boolean;
  /** Whether this is the next open requirement, which has the only primary button of the screen. */
  isNext: boolean;
}

function ComplianceStep({ title, state, to, actionLabel, isDone, isNext }: PartProps) {
  return (
    <Paper withBorder p="md">
      <Group justify="space-between">
        <div>
          <Text component="h2" fw={600}>
            {title}
          </Text>
          <Text size="sm" c="dimmed">
            <bdi>{state}</bdi>
          </Text>
        </div>
        {!isDone && (
          <Button component={Link} to={to} size="sm" variant={isNext ? 'filled' : 'default'}>
            {actionLabel}
          </Button>
        )}
      </Group>
    </Paper>
  );
}

/** The provider reports its decision only to the user, who enters it here. */
function Decision({ id }: { id: string }) {
  const t = useTexts('sms');
  const decide = useAction(
    (is_approved: boolean) =>
      api('POST /client-api/api/phone/{id}/compliance/verification/decision', {
        params: { id },
        body: { is_approved },
      }),
    { invalidates: [PHONES, `${PHONES}/${id}`] },
  );
  return (
    <Paper withBorder p="md">
      <Text size="sm" mb="sm">
        {t('compliance.decide')}
      </Text>
      <Group gap="xs">
        <Button size="sm" loading={decide.isPending} onClick={() => decide.mutate(true)}>
          {t('compliance.approved')}
        </Button>
        <Button
          size="sm"
          variant="default"
          loading={decide.isPending}
          onClick={() => decide.mutate(false)}
        >
          {t('compliance.rejected')}
        </Button>
      </Group>
    </Paper>
  );
}
