// Emoji common in marketing, by topic.
export const COMMON_EMOJI =
  '😀 😃 😄 😁 😊 🙂 😉 😍 🥰 😎 🤩 🥳 🤔 😅 😂 🙏 👋 👍 👏 🙌 💪 🤝 👀 ❤️ 🧡 💛 💚 💙 💜 🖤 ✨ ⭐ 🌟 🔥 💥 ⚡ 🎉 🎊 🎁 🎂 🏆 🥇 🚀 📣 📢 🔔 📅 ⏰ ⌛ 📌 📍 📦 🚚 🛒 🛍️ 💳 💰 🏷️ ✅ ☑️ ❌ ❗ ❓ ➡️ ⬅️ ⬆️ ⬇️ 👉 👇 ☀️ 🌙 🌈 🌸 🌷 🌻 🍂 ❄️ 🎄 ☕ 🍵 🍕 🍰 🍎 🏠 ✈️ 🎧 📚 ✏️ 💡'.split(
    ' ',
  );
