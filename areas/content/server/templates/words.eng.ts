// English texts of the templates.

export const eng = {
  view: 'View in browser',
  preferences: 'Email preferences',
  why: 'You receive this email because you asked to hear from us.',
  whyOrder: 'You receive this email because you ordered from us.',
  readMore: 'Read more',
  shopNow: 'Shop now',
  /** From one to ten. */
  numbers: ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'],
  titles: {
    'newsletter-monthly': {
      title: 'Monthly newsletter',
      description: 'One lead story, two smaller ones, and what is coming up.',
    },
    'newsletter-editorial': {
      title: 'Editorial letter',
      description: 'A calm, typographic letter for long reads.',
    },
    'newsletter-digest': {
      title: 'Weekly digest',
      description: 'Five links with a sentence each, quick to fill in.',
    },
    'newsletter-studio': {
      title: 'Studio news',
      description: 'Bold and visual, for makers and agencies.',
    },
    announcement: {
      title: 'Announcement',
      description: 'One piece of news, said clearly.',
    },
    'product-launch': {
      title: 'Product launch',
      description: 'A dark, dramatic stage for something new.',
    },
    'product-update': {
      title: 'Product update',
      description: 'What is new, what is better, what is fixed.',
    },
    sale: { title: 'Seasonal sale', description: 'A strong discount and four products.' },
    'flash-sale': { title: 'Last hours', description: 'Short and urgent, one button.' },
    coupon: { title: 'Coupon', description: 'A code to cut out and keep.' },
    lookbook: { title: 'New collection', description: 'Large pictures and few words.' },
    welcome: { title: 'Welcome', description: 'Say hello, and what happens next.' },
    'welcome-steps': {
      title: 'First steps',
      description: 'Three steps to get going, for services and apps.',
    },
    'event-invitation': {
      title: 'Event invitation',
      description: 'When, where and why, with a programme.',
    },
    webinar: { title: 'Webinar', description: 'Speakers, topics and a seat to save.' },
    restaurant: {
      title: 'Restaurant menu',
      description: 'This week’s dishes and a table to book.',
    },
    'abandoned-cart': {
      title: 'Abandoned cart',
      description: 'A friendly reminder of what is waiting.',
    },
    'order-shipped': {
      title: 'Order shipped',
      description: 'On its way: where it is and when it comes.',
    },
    receipt: { title: 'Receipt', description: 'A clear table, and help if something is wrong.' },
    'review-request': {
      title: 'Review request',
      description: 'Ask for a few words after a purchase.',
    },
    survey: { title: 'Survey', description: 'Two minutes of their time, and what it is for.' },
    feedback: {
      title: 'How likely are you …',
      description: 'One question, answered with one click.',
    },
    're-engagement': {
      title: 'We miss you',
      description: 'For those who have not opened in a while.',
    },
    birthday: { title: 'Birthday', description: 'A wish and a small present.' },
    holiday: { title: 'Holiday greeting', description: 'A warm greeting at the end of the year.' },
    spring: { title: 'Spring greeting', description: 'Light and fresh, for the new season.' },
    'thank-you': { title: 'Thank you', description: 'For an order, a gift or a year together.' },
    letter: { title: 'Plain letter', description: 'Looks like an email from a person.' },
    fundraising: { title: 'Fundraising', description: 'A cause, a goal and a way to help.' },
  } as Record<string, { title: string; description: string }>,

  monthly: {
    label: 'The monthly letter',
    heading: 'Small steps, long views',
    intro: [
      "Hello {{ firstname | fallback: 'there' }},",
      'This month we slowed down on purpose. We visited the people who make what we sell, asked them what they would change, and came home with more ideas than luggage.',
    ],
    lead: 'Three mornings in the valley',
    leadText:
      'Mist until nine, coffee at ten, and a workshop that has smelled of cedar since 1952. Our longest story this year is about patience – and about why good things still take their time.',
    storyOne: 'A chair for every back',
    storyOneText: 'Why our designers sat on the floor for a week before they drew a single line.',
    storyTwo: 'The repair shelf is back',
    storyTwoText: 'Bring one broken thing on the first Saturday. We bring glue, thread and cake.',
    coming: 'Coming up',
    comingItems: [
      '<strong>4th</strong> – Open workshop, from ten to two',
      '<strong>12th</strong> – New arrivals online at noon',
      '<strong>20th</strong> – Evening talk: mending as a craft',
    ],
    alt: 'Hills in the evening light',
  },

  editorial: {
    label: 'No. 12',
    heading: 'What the quiet hours are for',
    body: [
      'There is an hour before the house wakes up when nothing is asked of you. Some people run. Some answer yesterday’s emails. I have started to do something less useful: I sit by the window and wait for an idea to be sure of itself.',
      'It sounds like laziness, and some mornings it is. But most of what we have made that lasted began there – not in a meeting, not on a list, but in a pause that nobody had planned.',
    ],
    quote: '“You do not find time. You defend it, ten minutes at a time.”',
    more: 'So this letter is an invitation. Take ten minutes this week that belong to no one else. Write down what you notice. And if you like, reply and tell me – I read every answer.',
    sign: 'Until next time,<br><strong>Anna</strong>',
    also: 'Also worth your time',
    links: [
      'The museum that lends its paintings to living rooms',
      'A short history of the pause',
      'Why maps used to have monsters',
    ],
  },

  digest: {
    heading: 'Five things worth your Friday',
    intro: 'The best of what we read, made and found this week. Five minutes, five links.',
    items: [
      [
        'The town that switched off its street lights',
        'And what its people saw when they looked up.',
      ],
      ['How to say no and stay friends', 'Three sentences that do most of the work.'],
      ['A recipe that forgives everything', 'One pot, six ingredients, no timer.'],
      ['The tools we could not work without', 'An honest list, with the ones we gave up.'],
      ['Ask us anything', 'Your questions, answered by whoever knows best.'],
    ],
    end: 'Did somebody forward you this? <a href="https://example.com/">Get it every Friday</a>.',
  },

  studio: {
    label: 'Studio news',
    heading: 'New work. New room. Same stubborn standards.',
    intro:
      'We moved to the third floor, painted one wall the wrong shade of blue, and kept it. Here is what left the studio since.',
    one: 'A lamp that knows when to stop',
    oneText: 'It dims with the day. No app, no account, one honest switch.',
    two: 'Packaging that grows',
    twoText: 'Plant the box. In six weeks it is basil.',
    quote: '“They asked better questions than we did. That is why it worked.”',
    quoteBy: 'Omar, founder of a very small coffee company',
    call: 'Have something that should exist?',
    callButton: 'Tell us about it',
  },

  announcement: {
    label: 'News',
    heading: 'We have some good news',
    body: [
      "Hello {{ firstname | fallback: 'there' }},",
      'From the first of next month we are open seven days a week, and orders placed before two leave the house the same day. You asked for it more than for anything else – so thank you for asking.',
      'Nothing changes for orders that you have already placed.',
    ],
    button: 'See the new hours',
    alt: 'An open envelope with a letter',
  },

  launch: {
    label: 'Introducing',
    heading: 'Hear the room, not the noise',
    intro: 'Our first headphones. Three years of listening, folded into 240 grams.',
    button: 'Be among the first',
    facts: [
      ['40 h', 'on one charge'],
      ['240 g', 'and it folds flat'],
      ['0', 'accounts to create'],
    ],
    more: 'Made to be repaired',
    moreText:
      'Ear pads, battery, cable: everything that wears can be changed with a coin. We will stock the parts for ten years, and that is in writing.',
    alt: 'A pair of headphones',
    altLaunch: 'A rocket among the stars',
  },

  update: {
    label: 'What is new',
    heading: 'Faster, calmer, and finally dark',
    intro: 'Here is what changed this month. You do not have to do anything: it is already there.',
    items: [
      [
        'New',
        'Dark mode',
        'It follows your system, or your mood. The switch is under your picture.',
      ],
      [
        'Better',
        'Search that forgives',
        'Typos, half words, the wrong order: it finds what you meant.',
      ],
      ['Fixed', 'Dates in other time zones', 'Tuesday is Tuesday again, wherever you are.'],
    ],
    button: 'See everything that changed',
  },

  sale: {
    label: 'Autumn sale',
    heading: 'Up to 40 % off what keeps you warm',
    intro: 'From today until Sunday at midnight. While it lasts, and it will not last long.',
    button: 'Go to the sale',
    products: [
      ['Stoneware mug', '€14', '€24'],
      ['Fern in a pot', '€19', '€29'],
      ['Evening candle', '€12', '€18'],
      ['Reading lamp', '€59', '€89'],
    ],
    note: 'Already reduced – no code needed. Returns are free for 30 days.',
    alts: ['A stoneware mug', 'A plant in a pot', 'A candle', 'A reading lamp'],
  },

  flash: {
    label: 'Ends tonight',
    heading: '25 % off everything',
    body: "This is the last reminder, {{ firstname | fallback: 'friend' }}. At midnight the prices go back to normal, and so do we.",
    button: 'Use the last hours',
    note: 'The discount is taken off at the checkout.',
  },

  coupon: {
    heading: 'A little something for you',
    body: 'Because you have been with us for a while, and because it is a grey Tuesday. Use it on anything, even on what is already reduced.',
    title: '15 % off your next order',
    terms: 'Valid for 30 days, once for each customer.',
    button: 'Use the code',
    alt: 'Three wrapped presents',
  },

  lookbook: {
    heading: 'The new collection',
    intro: 'Quiet colours, honest seams, pockets where pockets belong.',
    one: 'The everyday shirt',
    two: 'The weekend bag',
    three: 'The desk companion',
    button: 'See all 24 pieces',
    alts: ['A green shirt', 'A leather bag', 'A notebook with a pen'],
  },

  welcome: {
    heading: 'It is good to have you here',
    body: [
      "Hello {{ firstname | fallback: 'and welcome' }},",
      'Thank you for signing up. You will hear from us about twice a month: new things, the stories behind them, and now and then an offer that we do not make anywhere else.',
    ],
    button: 'Have a look around',
    later: 'Three good places to start',
    items: [
      ['Our story', 'Who we are, and why we do this.'],
      ['Most loved', 'What people come back for.'],
      ['Questions', 'Delivery, returns, care: answered.'],
    ],
    alt: 'An open door between two plants',
  },

  steps: {
    heading: 'Three steps and you are set',
    intro:
      "Hello {{ firstname | fallback: 'there' }}, your account is ready. Most people are done in ten minutes.",
    steps: [
      ['1', 'Add your first project', 'A name is enough. Everything else can be changed later.'],
      ['2', 'Invite one person', 'It is more useful with two. They get a link by email.'],
      ['3', 'Try it on something real', 'Pick a small task from today, and finish it here.'],
    ],
    button: 'Start with step one',
    help: 'Stuck? Reply to this email. A person answers, usually within the hour.',
  },

  event: {
    label: 'You are invited',
    heading: 'An evening of new voices',
    intro: 'Four short talks, one long table, and time to meet the people you usually only read.',
    when: 'Thursday, 14 May<br>18:00',
    where: 'The Old Boathouse<br>Harbour Street 3',
    whenLabel: 'When',
    whereLabel: 'Where',
    programme: 'Programme',
    rows: [
      ['18:00', 'Doors open, something to drink'],
      ['18:30', 'Four talks of ten minutes'],
      ['19:30', 'Dinner at the long table'],
      ['21:00', 'Music, and no speeches'],
    ],
    button: 'Save my seat',
    note: 'There are 80 seats. If you cannot come after all, a short reply is enough.',
    alt: 'A stage with a microphone',
  },

  webinar: {
    label: 'Live online · free',
    heading: 'Write emails that people wait for',
    intro:
      'In 45 minutes we take three real newsletters apart and put them together again. Bring yours: we pick one from the audience.',
    when: 'Wednesday, 3 June, 15:00 – 15:45',
    learn: 'What you take home',
    items: [
      'A subject line that keeps its promise',
      'One structure that works for nearly everything',
      'What to measure, and what to leave alone',
    ],
    speakers: 'Your hosts',
    people: [
      ['Anna Lund', 'Edits a letter with 40,000 readers'],
      ['Omar Haddad', 'Has tested more subject lines than he admits'],
      ['Mei Tanaka', 'Designs emails that need no pictures'],
    ],
    button: 'Reserve a seat',
    note: 'You cannot make it? Sign up anyway, and we send you the recording.',
    alt: 'A video call on a screen',
  },

  restaurant: {
    heading: 'This week at the table',
    intro: 'The first asparagus came in this morning, so we rewrote half of the menu.',
    dishes: [
      ['Asparagus, brown butter, egg', '€14'],
      ['Braised lamb, white beans, mint', '€26'],
      ['Roasted carrots, yoghurt, dukkah', '€17'],
      ['Rhubarb and almond tart', '€9'],
    ],
    button: 'Book a table',
    hours: 'Tuesday to Saturday, from 17:30. Kitchen closes at 22:00.',
    alt: 'A plate with knife and fork',
  },

  cart: {
    heading: 'Still thinking it over?',
    body: "Hello {{ firstname | fallback: 'there' }}, you left something in your cart. We kept it for you – until Sunday nobody else gets it.",
    name: 'Canvas weekend bag',
    price: '€89',
    text: 'Waxed canvas, leather handle, a pocket for what you always look for.',
    button: 'Back to my cart',
    points: ['Free delivery from €50', '30 days to change your mind', 'Questions? Just reply.'],
    alt: 'A bag',
  },

  shipped: {
    label: 'Order 10482',
    heading: 'It is on its way',
    body: "Good news, {{ firstname | fallback: 'friend' }}: your parcel left our house this afternoon and should reach you within two working days.",
    button: 'Follow the parcel',
    toLabel: 'Goes to',
    to: 'The address that you gave with your order',
    byLabel: 'Brought by',
    by: 'Post, to your door',
    help: 'Not at home? You can choose another day or a neighbour on the page of the parcel.',
    alt: 'A delivery van with a parcel',
  },

  receipt: {
    heading: 'Thank you for your order',
    body: 'Here is your receipt. We write again as soon as the parcel leaves.',
    rows: [
      ['Item', 'Amount'],
      ['Stoneware mug × 2', '€48.00'],
      ['Evening candle', '€18.00'],
      ['Delivery', '€0.00'],
      ['<strong>Total, VAT included</strong>', '<strong>€66.00</strong>'],
    ],
    button: 'See the order',
    help: 'Is something wrong? Reply to this email and we put it right.',
  },

  review: {
    heading: 'How is it so far?',
    body: "Hello {{ firstname | fallback: 'there' }}, you have had your order for two weeks now. Would you tell others what you think? Two sentences are plenty, and honest ones help most.",
    button: 'Write a review',
    note: 'Not happy? Tell us first: reply to this email, and we put it right.',
    alt: 'Two speech bubbles, one with five stars',
  },

  survey: {
    heading: 'Two minutes, six questions',
    body: 'We are planning the next year, and we would rather ask than guess. Your answers decide what we make more of, and what we stop.',
    button: 'Answer the questions',
    points: ['Six questions, two minutes', 'No names, no sign-up', 'We publish the results'],
    thanks: 'Among all who answer we give away ten vouchers of €50.',
  },

  nps: {
    heading: 'Would you recommend us?',
    body: 'One question, one click: how likely are you to recommend us to a friend?',
    least: 'Not at all',
    most: 'Very likely',
    note: 'You can add a few words on the next page. We read them all.',
  },

  miss: {
    heading: 'Is this goodbye?',
    body: [
      "Hello {{ firstname | fallback: 'there' }},",
      'It has been a while since you opened one of our emails. That is fine – inboxes are full. But we would rather write to people who like to read us.',
    ],
    stay: 'Keep me on the list',
    note: 'If we do not hear from you, we stop writing in two weeks. Or leave right now, with the link below: no questions asked.',
    alt: 'A sailing boat on the sea',
  },

  birthday: {
    heading: "Happy birthday, {{ firstname | fallback: 'dear reader' }}!",
    body: 'May there be cake, good company and at least one hour that belongs only to you. Here is a small present from us.',
    title: '€10 for your birthday',
    terms: 'Valid for 14 days, on anything you like.',
    button: 'Choose something nice',
    alt: 'A birthday cake with three candles',
  },

  holiday: {
    heading: 'Warm wishes from all of us',
    body: [
      'Another year is nearly over. Thank you for reading, ordering, asking and – now and then – for telling us when we were wrong.',
      'We close on the 24th and are back on the 2nd, rested and with new ideas. Until then: slow mornings, long dinners, and snow if you like snow.',
    ],
    sign: 'See you next year,<br><strong>everybody at {{company}}</strong>',
    alt: 'A small house in the snow',
  },

  spring: {
    heading: 'Open the windows',
    body: 'Light until dinner, herbs on the sill, and a reason to eat outside. We have put together what belongs to the first warm days.',
    button: 'See the spring things',
    products: [
      ['Fern in a pot', '€29'],
      ['Glass bottle', '€24'],
      ['Salad bowl', '€34'],
    ],
    alts: ['A plant in a pot', 'A blue bottle', 'A bowl of salad'],
    alt: 'A branch of blossom',
  },

  thanks: {
    heading: 'Thank you. Really.',
    body: [
      "Dear {{ firstname | fallback: 'friend' }},",
      'A year ago this was four people and a kitchen table. Today it is eleven people and a slightly larger table, and that is because of you: you bought, you wrote, you told your sister.',
      'We do not have a discount for you today. Only this: we noticed, and we are grateful.',
    ],
    sign: 'Anna, Omar, Mei and everybody else',
    alt: 'Balloons and confetti',
  },

  letter: {
    body: [
      "Hello {{ firstname | fallback: 'there' }},",
      'I wanted to write to you myself. Next week we start something that I have been looking forward to for a long time, and I would like you to see it first.',
      'It is a small thing, but it took us a while to get it right. <a href="https://example.com/">Here is the page</a> – nobody else has the link yet.',
      'If you have two minutes, tell me what you think. Just reply to this email; it comes straight to me.',
    ],
    sign: 'Best wishes,<br>Anna',
  },

  fund: {
    label: 'Spring appeal',
    heading: 'Help us plant ten thousand trees',
    body: [
      'Last summer’s fire took the slope above the village in one night. The soil is still there. So are the people who know how to plant.',
      'What is missing is €24,000 for seedlings, fences and two springs of watering. A tree costs less than a cup of coffee.',
    ],
    facts: [
      ['€3', 'plants one tree'],
      ['€30', 'fences a row'],
      ['€90', 'waters one slope'],
    ],
    button: 'Give a tree',
    so_far: 'So far: 3,820 trees from 412 people. Thank you!',
    alt: 'Green hills with trees',
  },
};
