// The default texts of new blocks, in the languages of forms.
import type { FormLanguage } from '#embed/forms/shared/document.ts';

type FirstWords = {
  heading: string;
  text: string;
  button: string;
  decline: string;
  code: string;
  interests: string;
  /** The text of the email consent checkbox. */
  consent: string;
  sms: string;
  terms: string;
  fields: Record<string, string>;
};

const words = (
  heading: string,
  text: string,
  button: string,
  decline: string,
  code: string,
  interests: string,
  consent: string,
  sms: string,
  terms: string,
  [email, firstname, lastname, phone]: [string, string, string, string],
): FirstWords => ({
  heading,
  text,
  button,
  decline,
  code,
  interests,
  consent,
  sms,
  terms,
  fields: { email, firstname, lastname, phone },
});

const WORDS: Record<FormLanguage, FirstWords> = {
  eng: words(
    'Write a heading',
    'Write a few words here.',
    'Sign up',
    'No, thanks',
    'Your code:',
    'What would you like to hear about?',
    'I agree to receive news and offers by email. I can unsubscribe at any time.',
    'Text me offers at this number. Message and data rates may apply. Reply STOP to stop. Agreeing is no condition of purchase.',
    'I accept the terms.',
    ['Email', 'First name', 'Last name', 'Phone'],
  ),
  lit: words(
    'Parašykite antraštę',
    'Parašykite kelis žodžius.',
    'Prenumeruoti',
    'Ne, ačiū',
    'Jūsų kodas:',
    'Apie ką norėtumėte sužinoti?',
    'Sutinku gauti naujienas ir pasiūlymus el. paštu. Galiu bet kada atsisakyti.',
    'Sutinku gauti pasiūlymus SMS šiuo numeriu. Gali būti taikomi ryšio mokesčiai. Atsisakysite parašę STOP. Sutikimas nėra pirkimo sąlyga.',
    'Sutinku su taisyklėmis.',
    ['El. paštas', 'Vardas', 'Pavardė', 'Telefonas'],
  ),
  pol: words(
    'Wpisz nagłówek',
    'Napisz kilka słów.',
    'Zapisz się',
    'Nie, dziękuję',
    'Twój kod:',
    'O czym chcesz czytać?',
    'Zgadzam się na otrzymywanie wiadomości i ofert e-mailem. W każdej chwili mogę zrezygnować.',
    'Chcę otrzymywać oferty SMS na ten numer. Operator może naliczyć opłaty. Rezygnacja: odpowiedz STOP. Zgoda nie jest warunkiem zakupu.',
    'Akceptuję regulamin.',
    ['E-mail', 'Imię', 'Nazwisko', 'Telefon'],
  ),
  spa: words(
    'Escribe un título',
    'Escribe aquí unas palabras.',
    'Suscribirme',
    'No, gracias',
    'Tu código:',
    '¿Sobre qué quieres recibir noticias?',
    'Acepto recibir novedades y ofertas por correo. Puedo darme de baja cuando quiera.',
    'Quiero recibir ofertas por SMS en este número. Pueden aplicarse tarifas. Responde STOP para darte de baja. Aceptar no es condición de compra.',
    'Acepto las condiciones.',
    ['Correo electrónico', 'Nombre', 'Apellidos', 'Teléfono'],
  ),
  lav: words(
    'Uzrakstiet virsrakstu',
    'Uzrakstiet dažus vārdus.',
    'Pieteikties',
    'Nē, paldies',
    'Jūsu kods:',
    'Par ko vēlaties saņemt ziņas?',
    'Piekrītu saņemt jaunumus un piedāvājumus e-pastā. Varu atteikties jebkurā laikā.',
    'Piekrītu saņemt piedāvājumus īsziņās uz šo numuru. Var tikt piemērota maksa. Atteikties var, atbildot STOP. Piekrišana nav pirkuma nosacījums.',
    'Piekrītu noteikumiem.',
    ['E-pasts', 'Vārds', 'Uzvārds', 'Tālrunis'],
  ),
  nor: words(
    'Skriv en overskrift',
    'Skriv noen ord her.',
    'Meld deg på',
    'Nei takk',
    'Koden din:',
    'Hva vil du høre om?',
    'Jeg vil få nyheter og tilbud på e-post. Jeg kan melde meg av når som helst.',
    'Send meg tilbud på SMS til dette nummeret. Operatøren kan ta betalt. Svar STOP for å stoppe. Samtykket er ikke et vilkår for kjøp.',
    'Jeg godtar vilkårene.',
    ['E-post', 'Fornavn', 'Etternavn', 'Telefon'],
  ),
  swe: words(
    'Skriv en rubrik',
    'Skriv några ord här.',
    'Anmäl dig',
    'Nej tack',
    'Din kod:',
    'Vad vill du höra om?',
    'Jag vill få nyheter och erbjudanden via e-post. Jag kan avsluta när som helst.',
    'Skicka mig erbjudanden via sms till det här numret. Operatören kan ta betalt. Svara STOP för att avsluta. Samtycket är inget villkor för köp.',
    'Jag godkänner villkoren.',
    ['E-post', 'Förnamn', 'Efternamn', 'Telefon'],
  ),
  fas: words(
    'عنوانی بنویسید',
    'چند کلمه اینجا بنویسید.',
    'عضو می‌شوم',
    'نه، ممنون',
    'کد شما:',
    'دوست دارید دربارهٔ چه چیزی بشنوید؟',
    'می‌پذیرم که خبرها و پیشنهادها با ایمیل برایم فرستاده شود. هر زمان می‌توانم لغو کنم.',
    'پیشنهادها را با پیامک به این شماره بفرستید. ممکن است هزینه داشته باشد. برای لغو STOP بفرستید. پذیرفتن شرط خرید نیست.',
    'شرایط را می‌پذیرم.',
    ['ایمیل', 'نام', 'نام خانوادگی', 'تلفن'],
  ),
};

export const firstWords = (language: FormLanguage): FirstWords => WORDS[language];
