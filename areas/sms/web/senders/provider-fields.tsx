// The fields of an SMS provider, by topic.
import { Checkbox, NumberInput, PasswordInput, Select, TextInput } from '@mantine/core';
import { MAX_CONNECTIONS } from '#areas/delivery/relay-limits.ts';
import {
  OrderFields,
  OutletSection,
  Pair,
  PartLimits,
  RateFields,
} from '#areas/delivery/web/index.ts';
import type { FormHandle } from '#platform/web/forms.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import {
  MAX_NUMBER_LIMITS,
  MAX_PARTS,
  PROVIDER_PROPERTIES,
  PROVIDER_KINDS,
  MAX_PROVIDER_TITLE,
  type ProviderKind,
  SINCH_HOSTS,
  SMPP_PORT,
  SMPP_TLS_PORT,
} from '../../providers-limits.ts';
import { PROVIDER_NAMES, type ProviderForm, getDefaultValues } from './provider-form.ts';

type ProviderFieldsProps = { form: FormHandle<ProviderForm> };

export function AccountFields({ form, isKnown }: ProviderFieldsProps & { isKnown: boolean }) {
  const t = useTexts('sms');
  const { kind } = form.values;
  const { hasUser, hasProfile, hookKey } = PROVIDER_PROPERTIES[kind];
  const hint = isKnown ? t('providers.secretKept') : undefined;
  const secret = (name: 'secret' | 'hook_key', label: string) => (
    <PasswordInput
      label={label}
      description={hint}
      dir="ltr"
      autoComplete="new-password"
      visibilityToggleButtonProps={{ 'aria-label': t('providers.show') }}
      aria-invalid={Boolean(form.errors[name])}
      {...form.getInputProps(name)}
    />
  );
  return (
    <OutletSection title={t('providers.account')} text={t('providers.accountText')}>
      <Pair>
        <KindSelect form={form} isKnown={isKnown} />
        <TextInput
          label={t('providers.name')}
          maxLength={MAX_PROVIDER_TITLE}
          dir="auto"
          {...form.getInputProps('title')}
        />
      </Pair>
      <HostField form={form} />
      {kind === 'smpp' && <SmppFields form={form} />}
      <Pair>
        {hasUser && (
          <TextInput
            label={t(`providers.users.${kind}`)}
            dir="ltr"
            autoComplete="off"
            {...form.getInputProps('username')}
          />
        )}
        {secret('secret', t(`providers.secrets.${kind}`))}
      </Pair>
      {hookKey === 'given' && secret('hook_key', t(`providers.hookKeys.${kind}`))}
      {hasProfile && (
        <TextInput
          label={t(`providers.profiles.${kind}`)}
          description={t('providers.optional')}
          dir="ltr"
          autoComplete="off"
          {...form.getInputProps('profile')}
        />
      )}
    </OutletSection>
  );
}

function KindSelect({ form, isKnown }: ProviderFieldsProps & { isKnown: boolean }) {
  const t = useTexts('sms');
  const change = (value: string | null) => {
    if (!value) return;
    form.setValues({ kind: value as ProviderKind, ...getDefaultValues(value as ProviderKind) });
  };
  return (
    <Select
      label={t('providers.kind')}
      data={PROVIDER_KINDS.map((value) => ({
        value,
        label: PROVIDER_NAMES[value] ?? t('providers.smpp'),
      }))}
      allowDeselect={false}
      disabled={isKnown}
      {...form.getInputProps('kind')}
      onChange={change}
    />
  );
}

/** The region or host of the provider's API, unless all accounts have the same host. */
function HostField({ form }: ProviderFieldsProps) {
  const t = useTexts('sms');
  const { kind } = form.values;
  const { host } = PROVIDER_PROPERTIES[kind];
  if (host === 'fixed') return null;
  if (host === 'chosen') {
    return (
      <Select
        label={t('providers.region')}
        data={[...SINCH_HOSTS]}
        allowDeselect={false}
        dir="ltr"
        {...form.getInputProps('region')}
        error={form.errors.host}
      />
    );
  }
  return (
    <TextInput
      label={t('providers.host')}
      placeholder={kind === 'smpp' ? 'smpp.example.com' : 'xxxxx.api.infobip.com'}
      dir="ltr"
      autoComplete="off"
      {...form.getInputProps('host')}
    />
  );
}

function SmppFields({ form }: ProviderFieldsProps) {
  const t = useTexts('sms');
  return (
    <>
      <Pair>
        <NumberInput
          label={t('providers.port')}
          placeholder={String(form.values.tls ? SMPP_TLS_PORT : SMPP_PORT)}
          min={1}
          max={65_535}
          allowDecimal={false}
          {...form.getInputProps('port')}
        />
        <Select
          label={t('providers.alphabet')}
          data={[
            { value: 'gsm7', label: 'GSM 7 bit' },
            { value: 'latin1', label: 'ISO-8859-1' },
          ]}
          allowDeselect={false}
          {...form.getInputProps('alphabet')}
        />
      </Pair>
      <Checkbox
        label={t('providers.tls')}
        description={t('providers.tlsText')}
        {...form.getInputProps('tls', { type: 'checkbox' })}
      />
    </>
  );
}

export function PaceFields({ form }: ProviderFieldsProps) {
  const t = useTexts('sms');
  return (
    <OutletSection title={t('providers.pace')} text={t('providers.paceText')}>
      <Pair>
        <RateFields
          input={form.getInputProps}
          label={(name) => t(`providers.${name}`)}
          placeholder={t('providers.noLimit')}
          max={{ second: MAX_PARTS, minute: MAX_PARTS, hour: MAX_PARTS, day: MAX_PARTS }}
        />
        <NumberInput
          label={t('providers.connections')}
          min={1}
          max={MAX_CONNECTIONS}
          allowDecimal={false}
          {...form.getInputProps('connections')}
        />
      </Pair>
      <NumberLimits form={form} />
    </OutletSection>
  );
}

function NumberLimits({ form }: ProviderFieldsProps) {
  const t = useTexts('sms');
  return (
    <PartLimits
      list="number_limits"
      keyField="number"
      count={form.values.number_limits.length}
      input={form.getInputProps}
      error={form.errors.number_limits}
      maxRows={MAX_NUMBER_LIMITS}
      max={MAX_PARTS}
      texts={{
        part: t('phones.sender'),
        example: '+15125550177',
        perMinute: t('providers.per_minute'),
        remove: t('providers.removeNumber'),
        add: t('providers.addNumber'),
      }}
      add={() => form.insertListItem('number_limits', { number: '', per_minute: 60 })}
      remove={(row) => form.removeListItem('number_limits', row)}
    />
  );
}

export function ProviderOrder({ form }: ProviderFieldsProps) {
  const t = useTexts('sms');
  return (
    <OrderFields
      input={form.getInputProps}
      texts={{
        title: t('providers.order'),
        text: t('providers.orderText'),
        priority: t('providers.priority'),
        weight: t('providers.weight'),
        enabled: t('providers.on'),
        enabledText: t('providers.onText'),
      }}
    />
  );
}
