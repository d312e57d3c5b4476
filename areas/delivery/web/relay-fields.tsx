// The fields of a relay, by what they are about.
import {
  ActionIcon,
  Button,
  Checkbox,
  Input,
  NumberInput,
  PasswordInput,
  SegmentedControl,
  Select,
  TextInput,
  Tooltip,
} from '@mantine/core';
import '@mantine/core/styles/NumberInput.layer.css';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useId } from 'react';
import type { Form } from '#platform/web/forms.ts';
import { useTexts } from '#platform/web/texts.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import {
  CONNECTIONS_MOST,
  DAY_MOST,
  DOMAIN_LIMITS_MOST,
  isThisMachine,
  PRIORITY_MOST,
  RATE_MOST,
  RELAY_KINDS,
  RELAY_TITLE_MOST,
  type RelayKind,
  SES_REGIONS,
  TLS_MODES,
  WEIGHT_MOST,
} from '../relay-limits.ts';
import type { RelayForm } from './relay-form.ts';
import classes from './relays.module.css';

type Fields = { form: Form<RelayForm> };

const PORTS = { required: 587, implicit: 465, opportunistic: 25, none: 25 } as const;

export function ServerFields({ form }: Fields) {
  const t = useTexts('delivery');
  const { kind } = form.values;
  return (
    <Section title={t('sections.server')}>
      <SegmentedControl
        aria-label={t('fields.kind')}
        value={kind}
        onChange={(value) => form.setFieldValue('kind', value as RelayKind)}
        data={RELAY_KINDS.map((value) => ({ value, label: t(`kinds.${value}`) }))}
      />
      <TextInput
        label={t('fields.title')}
        placeholder={t('fields.titleExample')}
        maxLength={RELAY_TITLE_MOST}
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
    </Section>
  );
}

function SmtpFields({ form }: Fields) {
  const t = useTexts('delivery');
  const { host, tls: chosen } = form.values;
  // Nothing but this very machine may be spoken to in the open.
  const modes = TLS_MODES.filter(
    (mode) => mode !== 'none' || chosen === 'none' || isThisMachine(host),
  );
  const changeTls = (tls: RelayForm['tls'] | null) => {
    if (!tls) return;
    // The port goes along, unless it is one of the user's own.
    const isUsual = Object.values(PORTS).includes(Number(form.values.port) as 25);
    form.setFieldValue('tls', tls);
    if (isUsual) form.setFieldValue('port', PORTS[tls]);
  };
  return (
    <>
      <div className={classes.pair}>
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
      </div>
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
    <Section title={t('sections.signIn')} text={t('sections.signInText')}>
      <div className={classes.pair}>
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
      </div>
    </Section>
  );
}

export function LimitFields({ form }: Fields) {
  const t = useTexts('delivery');
  const most = { second: RATE_MOST, minute: RATE_MOST, hour: DAY_MOST, day: DAY_MOST };
  return (
    <Section title={t('sections.limits')} text={t('sections.limitsText')}>
      <div className={classes.pair}>
        {(['second', 'minute', 'hour', 'day'] as const).map((unit) => (
          <NumberInput
            key={unit}
            label={t(`fields.per_${unit}`)}
            placeholder={t('fields.noLimit')}
            min={1}
            max={most[unit]}
            allowDecimal={false}
            {...form.getInputProps(`per_${unit}`)}
          />
        ))}
        <NumberInput
          label={t('fields.connections')}
          min={1}
          max={CONNECTIONS_MOST}
          allowDecimal={false}
          {...form.getInputProps('connections')}
        />
        {form.values.kind === 'smtp' && (
          <NumberInput
            label={t('fields.messagesPerConnection')}
            description={t('fields.zeroIsNone')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            min={0}
            max={RATE_MOST}
            allowDecimal={false}
            {...form.getInputProps('messages_per_connection')}
          />
        )}
      </div>
      {form.values.kind === 'smtp' && (
        <Checkbox
          label={t('fields.chunking')}
          description={t('fields.chunkingText')}
          {...form.getInputProps('chunking', { type: 'checkbox' })}
        />
      )}
      <DomainLimits form={form} />
    </Section>
  );
}

function DomainLimits({ form }: Fields) {
  const t = useTexts('delivery');
  const rows = form.values.domain_limits;
  return (
    <>
      {rows.map((_, n) => (
        // Rows have no name of their own: their place is it.
        <div key={n} className={classes.domainLimit}>
          <TextInput
            label={t('fields.domain')}
            placeholder="gmail.com"
            dir="ltr"
            {...form.getInputProps(`domain_limits.${n}.domain`)}
          />
          <NumberInput
            label={t('fields.per_minute')}
            min={1}
            max={RATE_MOST}
            allowDecimal={false}
            {...form.getInputProps(`domain_limits.${n}.per_minute`)}
          />
          <Tooltip label={t('fields.removeDomain')}>
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={t('fields.removeDomain')}
              onClick={() => form.removeListItem('domain_limits', n)}
            >
              <IconTrash size={18} stroke={1.75} />
            </ActionIcon>
          </Tooltip>
        </div>
      ))}
      {form.errors.domain_limits && <Input.Error>{form.errors.domain_limits}</Input.Error>}
      {rows.length < DOMAIN_LIMITS_MOST && (
        <div>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={16} stroke={1.75} />}
            onClick={() => form.insertListItem('domain_limits', { domain: '', per_minute: 60 })}
          >
            {t('fields.addDomain')}
          </Button>
        </div>
      )}
    </>
  );
}

export function OrderFields({ form }: Fields) {
  const t = useTexts('delivery');
  return (
    <Section title={t('sections.order')} text={t('sections.orderText')}>
      <div className={classes.pair}>
        <NumberInput
          label={t('fields.priority')}
          min={1}
          max={PRIORITY_MOST}
          allowDecimal={false}
          {...form.getInputProps('priority')}
        />
        <NumberInput
          label={t('fields.weight')}
          min={1}
          max={WEIGHT_MOST}
          allowDecimal={false}
          {...form.getInputProps('weight')}
        />
      </div>
      <Checkbox
        label={t('fields.enabled')}
        description={t('fields.enabledText')}
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
  text?: string;
  children: React.ReactNode;
}) {
  const id = useId();
  return (
    <section className={classes.section} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {text && <p>{text}</p>}
      {children}
    </section>
  );
}
