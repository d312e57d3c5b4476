// @vitest-environment jsdom
// Tests that pasted content is cleaned, with samples from real programs, shortened but including
// their markers.
import { describe, expect, it } from 'vitest';
import { cleanPaste } from './paste.ts';

const WORD_HTML = `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word">
<head><meta name=Generator content="Microsoft Word 15"><!--[if gte mso 9]><xml><o:OfficeDocumentSettings/></xml><![endif]-->
<style><!-- p.MsoNormal {margin:0cm; font-size:11.0pt; font-family:"Calibri",sans-serif;} --></style></head>
<body lang=EN-GB style='tab-interval:36.0pt'><!--StartFragment-->
<h1 style='color:#2F5496'><span lang=EN-US style='mso-ansi-language:EN-US'>Spring <o:p></o:p></span></h1>
<p class=MsoNormal><span style='font-size:14.0pt;color:red'>We open <b>on Monday</b>, see
<a href="https://shop.example/"><span style='color:#0563C1;text-decoration:underline'>the shop</span></a>.<o:p></o:p></span></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol;mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp; </span></span><![endif]>Green tea<o:p></o:p></p>
<p class=MsoListParagraphCxSpLast style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol;mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp; </span></span><![endif]>Black <i>tea</i><o:p></o:p></p>
<p class=MsoNormal><o:p>&nbsp;</o:p></p>
<p class=MsoListParagraph style='mso-list:l1 level1 lfo2'><span style='mso-list:Ignore'>1.<span>&nbsp; </span></span>First</p>
<!--EndFragment--></body></html>`;

const DOCS = `<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-8c1f"><p dir="ltr" style="line-height:1.38;margin-top:0pt;"><span style="font-size:11pt;font-family:Arial,sans-serif;color:#000000;font-weight:400;white-space:pre-wrap;">Plain and </span><span style="font-size:11pt;font-weight:700;font-style:normal;">bold</span><span style="font-weight:400;font-style:italic;"> and slanted</span></p><br /><ul style="margin-top:0;"><li dir="ltr" style="list-style-type:disc;" aria-level="1"><p dir="ltr" role="presentation"><span style="font-weight:400;">One</span></p></li><ul><li aria-level="2"><p role="presentation"><span style="font-weight:400;text-decoration:none;">Inner</span></p></li></ul></ul><p><a href="https://docs.example/a" style="text-decoration:none;"><span style="color:#1155cc;text-decoration:underline;font-weight:400">Read</span></a></p></b>`;

const GMAIL = `<div dir="ltr"><div class="gmail_default" style="font-family:verdana,sans-serif;color:rgb(7,55,99)">Hello Ada,</div><div><br></div><div style="font-size:small">two <b>bold</b> words<br>and a line<img src="https://mail.google.com/x.gif" onerror="alert(1)"></div><blockquote class="gmail_quote"><div><u>Quoted</u></div></blockquote><a href="javascript:alert(1)">bad</a><script>alert(1)</script></div>`;

describe('pasted content', () => {
  it('content from Word keeps text, headings as bold, links and real lists', () => {
    expect(cleanPaste(WORD_HTML)).toBe(
      '<p><strong>Spring </strong></p>' +
        '<p>We open <strong>on Monday</strong>, see <a href="https://shop.example/">the shop</a>.</p>' +
        '<ul><li><p>Green tea</p></li><li><p>Black <em>tea</em></p></li></ul>' +
        '<ol><li><p>First</p></li></ol>',
    );
  });

  it('content from Google Docs is bold by font weight, not by the outer b element, and nests lists correctly', () => {
    expect(cleanPaste(DOCS)).toBe(
      '<p>Plain and <strong>bold</strong><em> and slanted</em></p>' +
        '<ul><li><p>One</p><ul><li><p>Inner</p></li></ul></li></ul>' +
        '<p><a href="https://docs.example/a">Read</a></p>',
    );
  });

  it('content from Gmail gets paragraphs for divs and loses scripts and tracking', () => {
    expect(cleanPaste(GMAIL)).toBe(
      '<p>Hello Ada,</p><p>two <strong>bold</strong> words<br>and a line</p><p><u>Quoted</u></p><p>bad</p>',
    );
  });

  it('pasted merge tags are unchanged', () => {
    expect(
      cleanPaste('<span style="color:red">Dear {{firstname | default: "friend"}}</span>'),
    ).toBe('<p>Dear {{firstname | default: "friend"}}</p>');
  });

  it('pasted chips become merge tags, and links that begin with a merge tag are kept', () => {
    expect(
      cleanPaste(
        '<p>Dear <span class="merge-tag" data-tag="{{firstname | default: &quot;friend&quot;}}">First name</span>, <a href="{{unsubscribe_link}}">leave</a> <a href="#top">up</a> <span data-tag="news">Today</span></p>',
      ),
    ).toBe(
      '<p>Dear {{firstname | default: "friend"}}, <a href="{{unsubscribe_link}}">leave</a> up Today</p>',
    );
  });
});
