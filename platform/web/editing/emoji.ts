// Emoji common in marketing, by topic.
export const EMOJI =
  '😀 😃 😄 😁 😊 🙂 😉 😍 🥰 😎 🤩 🥳 🤔 😅 😂 🙏 👋 👍 👏 🙌 💪 🤝 👀 ❤️ 🧡 💛 💚 💙 💜 🖤 ✨ ⭐ 🌟 🔥 💥 ⚡ 🎉 🎊 🎁 🎂 🏆 🥇 🚀 📣 📢 🔔 📅 ⏰ ⌛ 📌 📍 📦 🚚 🛒 🛍️ 💳 💰 🏷️ ✅ ☑️ ❌ ❗ ❓ ➡️ ⬅️ ⬆️ ⬇️ 👉 👇 ☀️ 🌙 🌈 🌸 🌷 🌻 🍂 ❄️ 🎄 ☕ 🍵 🍕 🍰 🍎 🏠 ✈️ 🎧 📚 ✏️ 💡'.split(
    ' ',
  );
