// Newsletters in the style of other programs' exports. They were written for the tests, with
// peculiarities that occur in practice.

export type WildNewsletter = { name: string; html: string };

const lines = (...textLines: string[]) => textLines.join('\n');
const fillerText = (count: number) =>
  Array.from({ length: count }, (_, n) => `word${n % 97} tea${n % 13}`).join(' ');

const RESPONSIVE = lines(
  '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
  '<html xmlns="http://www.w3.org/1999/xhtml">',
  '<head>',
  '<meta http-equiv="Content-Type" content="text/html; charset=UTF-8" />',
  '<meta name="viewport" content="width=device-width, initial-scale=1.0"/>',
  '<title>*|MC:SUBJECT|*</title>',
  '<style type="text/css">',
  '  #outlook a{padding:0;} .ReadMsgBody{width:100%;} .ExternalClass *{line-height:100%}',
  '  @media only screen and (max-width: 480px){ table[class=w320]{width:320px!important} td[class="mobile-hide"]{display:none!important} }',
  '  @media (prefers-color-scheme: dark){ .paper{background:#111!important;color:#eee!important} }',
  '</style>',
  '</head>',
  '<body style="margin:0;padding:0;" bgcolor="#f4f4f4">',
  '\t<table width="100%" cellpadding="0" cellspacing="0" border="0" class="paper"><tr><td align="center">',
  '\t\t<table width="600" class="w320" cellpadding="0"><tr>',
  '\t\t\t<td width="300" valign="top"><a href="https://tea.example/left?utm_source=news&amp;utm_medium=email#top"><img src="https://cdn.tea.example/a.jpg" width="280" alt="Green &amp; black" /></a></td>',
  '\t\t\t<td width="300" class="mobile-hide">Hello *|FNAME|*, %%FIRST_NAME%% and [[name]]&nbsp;!</td>',
  '\t\t</tr></table>',
  '\t</td></tr></table>',
  '</body>',
  '</html>',
  '',
).replaceAll('\n', '\r\n');

const OUTLOOK = lines(
  '<!doctype html><html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"><head>',
  '<!--[if gte mso 9]><xml><o:OfficeDocumentSettings><o:AllowPNG/><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]-->',
  '<!--[if !mso]><!--><meta http-equiv="X-UA-Compatible" content="IE=edge"><!--<![endif]-->',
  '<!--[if (mso)|(mso 16)]><style type="text/css">body, table, td, a, span { font-family: Arial, Helvetica, sans-serif !important; } a {text-decoration: none;}</style><![endif]-->',
  '</head><body>',
  '<!--[if mso | IE]><table role="presentation" width="600" align="center"><tr><td><![endif]-->',
  '<div style="max-width:600px;margin:0 auto">',
  '<!--[if mso]><v:roundrect xmlns:v="urn:schemas-microsoft-com:vml" xmlns:w="urn:schemas-microsoft-com:office:word" href="https://tea.example/buy" style="height:44px;v-text-anchor:middle;width:200px" arcsize="10%" stroke="f" fillcolor="#3b4fe4"><w:anchorlock/><center style="color:#ffffff">Buy now</center></v:roundrect><![endif]-->',
  '<!--[if !mso]> <!--><a href="https://tea.example/buy" style="background:#3b4fe4;color:#fff">Buy now</a><!-- <![endif]-->',
  '<![if !vml]><img src="https://cdn.tea.example/b.png" alt=""><![endif]>',
  '</div>',
  '<!--[if mso | IE]></td></tr></table><![endif]-->',
  '<!-- a comment with <b>markup</b> and {{ braces }} and -- dashes -->',
  '</body></html>',
);

const HUGE_CSS = lines(
  '<html><head><style>',
  ...Array.from(
    { length: 1600 },
    (_, n) =>
      `.c${n}:hover>td[class*="x${n}"]::after{content:"{{";color:#${(n * 7919 + 1048576).toString(16).slice(-6)};margin:0 ${n % 9}px !important}`,
  ),
  '</style></head><body>',
  '<p class="c1">Short words, <a href="https://tea.example/css">long sheet</a>.</p>',
  '</body></html>',
);

const BROKEN = lines(
  '<html><body><table><tr><td>One<td>Two</table></div></p>',
  '<p <b>bold?</b> a < b and b > a && c',
  '<a href=https://tea.example/unquoted?x=1&y=2 class = "a"b>no quotes</a>',
  "<a href='https://tea.example/it's'>odd quote</a>",
  '<img src="https://cdn.tea.example/c.png" alt="never closed>',
  '<p>&nbsp &copy 2026 &bogus; &#8364; &#x20ac; &amp;amp;</p>" >',
  '<br/><br></br><hr><li>alone</li></ul>',
  '<a href="https://tea.example/nested">outer <a href="https://tea.example/inner">inner</a></a>',
  '<a href="">empty</a> <a name="top">anchor</a> <a href="#top">top</a> <a href="mailto:a@tea.example?subject=x">mail</a>',
  '</td></tr></body>after the end</html></html>',
);

const OLD_NEWSLETTER = lines(
  '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">',
  '<HTML><HEAD><TITLE>Tea News No. 7</TITLE></HEAD>',
  '<BODY BGCOLOR=#FFFFFF TEXT=#000000 LINK=#0000FF BACKGROUND="https://cdn.tea.example/paper.gif">',
  '<CENTER><FONT FACE="Arial, Helvetica" SIZE=+2 COLOR=RED>Tea News</FONT></CENTER><BR CLEAR=ALL>',
  '<TABLE BORDER=0 CELLPADDING=4 WIDTH=600><TR VALIGN=TOP><TD NOWRAP>',
  '<A HREF="HTTP://TEA.EXAMPLE/OLD">See More</A><IMG SRC="https://cdn.tea.example/d.gif" BORDER=0 ALT="">',
  '</TD></TR></TABLE><MARQUEE>Sale</MARQUEE></BODY></HTML>',
);

const BASE64 = lines(
  '<html><body>',
  `<img alt="inline" width="1" src="data:image/png;base64,${'iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB+/='.repeat(1500)}">`,
  '<div style="background:url(data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7)">x</div>',
  '<a href="https://tea.example/base64">See</a>',
  '</body></html>',
);

const SVG = lines(
  '<html><body>',
  '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 24 24" width="24"><defs><linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient></defs>',
  '<path fill="url(#g)" d="M3 3h18v18H3z"/><a xlink:href="https://tea.example/xlink"><text x="1" y="2">&#xa0;Tea</text></a></svg>',
  '<a href="https://tea.example/svg">A link outside</a>',
  '<math><mi>x</mi></math></body></html>',
);

const NON_LATIN = lines(
  '<html dir="rtl" lang="fa"><head><meta http-equiv="content-type" content="text/html; charset=windows-1256"></head><body>',
  '<p>چای تازه رسید — «نوروز مبارک»‌ ۱۲۳ \u200f\u200e\u2067RTL\u2069</p>',
  '<p>Ærlig talt, blåbærøl på Ås; žąsis ėjo į šieną; Rīgas šķūņi.</p>',
  '<p>😀👩‍👩‍👧‍👦🏴󠁧󠁢󠁳󠁣󠁴󠁿 e\u0301 \u00a0\u2028\u2029\ufeff\u00ad Ω≈ç√</p>',
  '.',
  '..dots at the start of a line',
  'From here on',
  '<a href="https://tea.example/چای?نام=علی&amp;q=ж">چای</a> <a href="https://xn--mgba3a4f16a.example/">idn</a>',
  'trailing blanks   ',
  '\ttabs\t',
  '</body></html>',
);

const ONE_LINE = `<html><body><p>${fillerText(9000)}</p><a href="https://tea.example/long">${fillerText(10)}</a></body></html>`;

const OWN_FOOTER = lines(
  '<html><body><p>Words.</p>',
  '<p>Nordic Tea, Storgata 1, 0155 Oslo, Oslo, Norway <a href="{{unsubscribe_link}}">Leave</a></p>',
  '<a href="https://tea.example/end">End</a></body></html>',
);

export const WILD_NEWSLETTERS: readonly WildNewsletter[] = [
  { name: 'responsive tables with Windows line ends', html: RESPONSIVE },
  { name: 'conditions and VML for Outlook', html: OUTLOOK },
  { name: 'a style sheet of more than 100 KB', html: HUGE_CSS },
  { name: 'broken tags', html: BROKEN },
  { name: 'HTML 3.2 in capitals', html: OLD_NEWSLETTER },
  { name: 'images in base64', html: BASE64 },
  { name: 'an embedded SVG', html: SVG },
  { name: 'text in many languages with a wrong charset', html: NON_LATIN },
  { name: 'everything on one line', html: ONE_LINE },
  { name: 'its own unsubscribe link and address', html: OWN_FOOTER },
];
