// The emoji that marketing uses, by what they are about.
export const EMOJI =
  '😀 😃 😄 😁 😊 🙂 😉 😍 🥰 😎 🤩 🥳 🤔 😅 😂 🙏 👋 👍 👏 🙌 💪 🤝 👀 ❤️ 🧡 💛 💚 💙 💜 🖤 ✨ ⭐ 🌟 🔥 💥 ⚡ 🎉 🎊 🎁 🎂 🏆 🥇 🚀 📣 📢 🔔 📅 ⏰ ⌛ 📌 📍 📦 🚚 🛒 🛍️ 💳 💰 🏷️ ✅ ☑️ ❌ ❗ ❓ ➡️ ⬅️ ⬆️ ⬇️ 👉 👇 ☀️ 🌙 🌈 🌸 🌷 🌻 🍂 ❄️ 🎄 ☕ 🍵 🍕 🍰 🍎 🏠 ✈️ 🎧 📚 ✏️ 💡'.split(
    ' ',
  );
