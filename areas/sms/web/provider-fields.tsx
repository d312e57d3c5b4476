// The fields of a provider of texts, by what they are about.
import {
  ActionIcon,
  Button,
  Checkbox,
  Input,
  NumberInput,
  PasswordInput,
  Select,
  TextInput,
  Tooltip,
} from '@mantine/core';
import '@mantine/core/styles/NumberInput.layer.css';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useId } from 'react';
import type { Form } from '#platform/web/forms.ts';
import { useTexts } from '#platform/web/texts.ts';
import {
  CONNECTIONS_MOST,
  NUMBER_LIMITS_MOST,
  PARTS_MOST,
  PRIORITY_MOST,
  PROVIDER_FACTS,
  PROVIDER_KINDS,
  PROVIDER_TITLE_MOST,
  type ProviderKind,
  SINCH_HOSTS,
  SMPP_PORT,
  SMPP_TLS_PORT,
  WEIGHT_MOST,
} from '../providers-limits.ts';
import { PROVIDER_NAMES, type ProviderForm, usualOf } from './provider-form.ts';
import classes from './providers.module.css';

type Fields = { form: Form<ProviderForm> };

export function AccountFields({ form, isKnown }: Fields & { isKnown: boolean }) {
  const t = useTexts('sms');
  const { kind } = form.values;
  const { hasUser, hasProfile, hookKey, host } = PROVIDER_FACTS[kind];
  const change = (value: string | null) => {
    if (!value) return;
    form.setValues({ kind: value as ProviderKind, ...usualOf(value as ProviderKind) });
  };
  const kept = isKnown ? t('providers.secretKept') : undefined;
  const secret = (name: 'secret' | 'hook_key', label: string) => (
    <PasswordInput
      label={label}
      description={kept}
      dir="ltr"
      autoComplete="new-password"
      visibilityToggleButtonProps={{ 'aria-label': t('providers.show') }}
      aria-invalid={Boolean(form.errors[name])}
      {...form.getInputProps(name)}
    />
  );
  return (
    <Section title={t('providers.account')} text={t('providers.accountText')}>
      <div className={classes.pair}>
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
        <TextInput
          label={t('providers.name')}
          maxLength={PROVIDER_TITLE_MOST}
          dir="auto"
          {...form.getInputProps('title')}
        />
      </div>
      {host === 'chosen' && (
        <Select
          label={t('providers.region')}
          data={[...SINCH_HOSTS]}
          allowDeselect={false}
          dir="ltr"
          {...form.getInputProps('region')}
          error={form.errors.host}
        />
      )}
      {host === 'own' && (
        <TextInput
          label={t('providers.host')}
          placeholder={kind === 'smpp' ? 'smpp.example.com' : 'xxxxx.api.infobip.com'}
          dir="ltr"
          autoComplete="off"
          {...form.getInputProps('host')}
        />
      )}
      {kind === 'smpp' && <SmppFields form={form} />}
      <div className={classes.pair}>
        {hasUser && (
          <TextInput
            label={t(`providers.users.${kind}`)}
            dir="ltr"
            autoComplete="off"
            {...form.getInputProps('username')}
          />
        )}
        {secret('secret', t(`providers.secrets.${kind}`))}
      </div>
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
    </Section>
  );
}

function SmppFields({ form }: Fields) {
  const t = useTexts('sms');
  return (
    <>
      <div className={classes.pair}>
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
      </div>
      <Checkbox
        label={t('providers.tls')}
        description={t('providers.tlsText')}
        {...form.getInputProps('tls', { type: 'checkbox' })}
      />
    </>
  );
}

export function PaceFields({ form }: Fields) {
  const t = useTexts('sms');
  return (
    <Section title={t('providers.pace')} text={t('providers.paceText')}>
      <div className={classes.pair}>
        {(['second', 'minute', 'hour', 'day'] as const).map((unit) => (
          <NumberInput
            key={unit}
            label={t(`providers.per_${unit}`)}
            placeholder={t('providers.noLimit')}
            min={1}
            max={PARTS_MOST}
            allowDecimal={false}
            {...form.getInputProps(`per_${unit}`)}
          />
        ))}
        <NumberInput
          label={t('providers.connections')}
          min={1}
          max={CONNECTIONS_MOST}
          allowDecimal={false}
          {...form.getInputProps('connections')}
        />
      </div>
      <NumberLimits form={form} />
    </Section>
  );
}

function NumberLimits({ form }: Fields) {
  const t = useTexts('sms');
  const rows = form.values.number_limits;
  return (
    <>
      {rows.map((_, n) => (
        // Rows have no name of their own: their place is it.
        <div key={n} className={classes.numberLimit}>
          <TextInput
            label={t('phones.sender')}
            placeholder="+15125550177"
            dir="ltr"
            {...form.getInputProps(`number_limits.${n}.number`)}
          />
          <NumberInput
            label={t('providers.per_minute')}
            min={1}
            max={PARTS_MOST}
            allowDecimal={false}
            {...form.getInputProps(`number_limits.${n}.per_minute`)}
          />
          <Tooltip label={t('providers.removeNumber')}>
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={t('providers.removeNumber')}
              onClick={() => form.removeListItem('number_limits', n)}
            >
              <IconTrash size={18} stroke={1.75} />
            </ActionIcon>
          </Tooltip>
        </div>
      ))}
      {form.errors.number_limits && <Input.Error>{form.errors.number_limits}</Input.Error>}
      {rows.length < NUMBER_LIMITS_MOST && (
        <div>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={16} stroke={1.75} />}
            onClick={() => form.insertListItem('number_limits', { number: '', per_minute: 60 })}
          >
            {t('providers.addNumber')}
          </Button>
        </div>
      )}
    </>
  );
}

export function OrderFields({ form }: Fields) {
  const t = useTexts('sms');
  return (
    <Section title={t('providers.order')} text={t('providers.orderText')}>
      <div className={classes.pair}>
        <NumberInput
          label={t('providers.priority')}
          min={1}
          max={PRIORITY_MOST}
          allowDecimal={false}
          {...form.getInputProps('priority')}
        />
        <NumberInput
          label={t('providers.weight')}
          min={1}
          max={WEIGHT_MOST}
          allowDecimal={false}
          {...form.getInputProps('weight')}
        />
      </div>
      <Checkbox
        label={t('providers.on')}
        description={t('providers.onText')}
        {...form.getInputProps('enabled', { type: 'checkbox' })}
      />
    </Section>
  );
}

function Section({
  title,
  text,
  children,
}: {
  title: string;
  text: string;
  children: React.ReactNode;
}) {
  const id = useId();
  return (
    <section className={classes.section} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p>{text}</p>
      {children}
    </section>
  );
}
