// The fields of a relay, grouped by subject.
import {
  Checkbox,
  NumberInput,
  PasswordInput,
  SegmentedControl,
  Select,
  TextInput,
} from '@mantine/core';
import type { FormHandle } from '#platform/web/forms.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import {
  MAX_CONNECTIONS,
  MAX_DAY,
  MAX_DOMAIN_LIMITS,
  isLoopbackHost,
  MAX_RATE,
  RELAY_KINDS,
  MAX_RELAY_TITLE,
  type RelayKind,
  SES_REGIONS,
  TLS_MODES,
} from '../relay-limits.ts';
import {
  OrderFields,
  OutletSection,
  Pair,
  PartLimits,
  RateFields,
} from './outlets/outlet-fields.tsx';
import type { RelayForm } from './relay-form.ts';

type Fields = { form: FormHandle<RelayForm> };

const PORTS = { required: 587, implicit: 465, opportunistic: 25, none: 25 } as const;

export function ServerFields({ form }: Fields) {
  const t = useTexts('delivery');
  const { kind } = form.values;
  return (
    <OutletSection title={t('sections.server')}>
      <SegmentedControl
        aria-label={t('fields.kind')}
        value={kind}
        onChange={(value) => form.setFieldValue('kind', value as RelayKind)}
        data={RELAY_KINDS.map((value) => ({ value, label: t(`kinds.${value}`) }))}
      />
      <TextInput
        label={t('fields.title')}
        placeholder={t('fields.titleExample')}
        maxLength={MAX_RELAY_TITLE}
        {...form.getInputProps('title')}
      />
      {kind === 'ses' ? (
        <SearchableSelect
          label={t('fields.region')}
          data={[...SES_REGIONS]}
          allowDeselect={false}
          {...form.getInputProps('region')}
        />
      ) : (
        <SmtpFields form={form} />
      )}
    </OutletSection>
  );
}

function SmtpFields({ form }: Fields) {
  const t = useTexts('delivery');
  const { host, tls: chosen } = form.values;
  // Only a relay on this machine may be used without encryption.
  const modes = TLS_MODES.filter(
    (mode) => mode !== 'none' || chosen === 'none' || isLoopbackHost(host),
  );
  const changeTls = (tls: RelayForm['tls'] | null) => {
    if (!tls) return;
    // The port follows the mode, unless the user set another one.
    const isUsual = Object.values(PORTS).includes(Number(form.values.port) as 25);
    form.setFieldValue('tls', tls);
    if (isUsual) form.setFieldValue('port', PORTS[tls]);
  };
  return (
    <>
      <Pair>
        <TextInput
          label={t('fields.host')}
          placeholder="smtp.example.com"
          dir="ltr"
          autoComplete="off"
          {...form.getInputProps('host')}
        />
        <NumberInput
          label={t('fields.port')}
          min={1}
          max={65_535}
          allowDecimal={false}
          {...form.getInputProps('port')}
        />
      </Pair>
      <Select
        label={t('fields.tls')}
        description={t(`tls.${form.values.tls}Text`)}
        data={modes.map((value) => ({ value, label: t(`tls.${value}`) }))}
        allowDeselect={false}
        {...form.getInputProps('tls')}
        onChange={changeTls}
      />
    </>
  );
}

export function SignInFields({ form, isKnown }: Fields & { isKnown: boolean }) {
  const t = useTexts('delivery');
  const isSes = form.values.kind === 'ses';
  return (
    <OutletSection title={t('sections.signIn')} text={t('sections.signInText')}>
      <Pair>
        <TextInput
          label={t(isSes ? 'fields.accessKey' : 'fields.username')}
          dir="ltr"
          autoComplete="off"
          {...form.getInputProps('username')}
        />
        <PasswordInput
          label={t(isSes ? 'fields.secretKey' : 'fields.password')}
          description={isKnown ? t('fields.passwordKnown') : undefined}
          dir="ltr"
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': t('fields.showPassword') }}
          aria-invalid={Boolean(form.errors.password)}
          {...form.getInputProps('password')}
        />
      </Pair>
    </OutletSection>
  );
}

export function LimitFields({ form }: Fields) {
  const t = useTexts('delivery');
  const max = { second: MAX_RATE, minute: MAX_RATE, hour: MAX_DAY, day: MAX_DAY };
  return (
    <OutletSection title={t('sections.limits')} text={t('sections.limitsText')}>
      <Pair>
        <RateFields
          input={form.getInputProps}
          label={(name) => t(`fields.${name}`)}
          placeholder={t('fields.noLimit')}
          max={max}
        />
        <NumberInput
          label={t('fields.connections')}
          min={1}
          max={MAX_CONNECTIONS}
          allowDecimal={false}
          {...form.getInputProps('connections')}
        />
        {form.values.kind === 'smtp' && (
          <NumberInput
            label={t('fields.messagesPerConnection')}
            description={t('fields.zeroIsNone')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            min={0}
            max={MAX_RATE}
            allowDecimal={false}
            {...form.getInputProps('messages_per_connection')}
          />
        )}
      </Pair>
      {form.values.kind === 'smtp' && (
        <Checkbox
          label={t('fields.chunking')}
          description={t('fields.chunkingText')}
          {...form.getInputProps('chunking', { type: 'checkbox' })}
        />
      )}
      <DomainLimits form={form} />
    </OutletSection>
  );
}

function DomainLimits({ form }: Fields) {
  const t = useTexts('delivery');
  return (
    <PartLimits
      list="domain_limits"
      keyField="domain"
      count={form.values.domain_limits.length}
      input={form.getInputProps}
      error={form.errors.domain_limits}
      maxRows={MAX_DOMAIN_LIMITS}
      max={MAX_RATE}
      texts={{
        part: t('fields.domain'),
        example: 'gmail.com',
        perMinute: t('fields.per_minute'),
        remove: t('fields.removeDomain'),
        add: t('fields.addDomain'),
      }}
      add={() => form.insertListItem('domain_limits', { domain: '', per_minute: 60 })}
      remove={(row) => form.removeListItem('domain_limits', row)}
    />
  );
}

export function RelayOrder({ form }: Fields) {
  const t = useTexts('delivery');
  return (
    <OrderFields
      input={form.getInputProps}
      texts={{
        title: t('sections.order'),
        text: t('sections.orderText'),
        priority: t('fields.priority'),
        weight: t('fields.weight'),
        enabled: t('fields.enabled'),
        enabledText: t('fields.enabledText'),
      }}
    />
  );
}
