package sabika.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The texts that a kit consists of: members of partner.json, and files, by their names. */
final class KitValues {
  static final List<String> MEMBERS = List.of(
      "environment", "base_url", "client_id", "client_secret", "webhook_secret", "webhook_url",
      "signing_key_id");
  static final List<String> FILES = List.of("ca.crt", "client.crt", "client.key", "signing.key");

  private final Path folder;
  private final Map<String, String> values = new HashMap<>();

  /** @param folder where what is not given is read; null if there is none */
  KitValues(Path folder, Map<String, String> given) throws IOException {
    this.folder = folder;
    if (folder != null) {
      readPartner(folder.resolve("partner.json")).forEach((name, value) -> {
        if (value instanceof String text) values.put((String) name, text);
      });
    }
    values.putAll(given);
    values.values().removeIf(String::isEmpty);
  }

  Path folder() {
    return folder;
  }

  /** Returns a member, or null. */
  String text(String name) {
    return values.get(name);
  }

  String required(String name) throws IOException {
    String text = text(name);
    if (text == null) throw new IOException(named("partner.json") + ": " + name + " is missing");
    return text;
  }

  String file(String name) throws IOException {
    String text = text(name);
    if (text != null) return text;
    if (folder == null) throw new NoSuchFileException(name);
    return Files.readString(folder.resolve(name));
  }

  /** Returns what an error calls a part of the kit: its file, if there is a folder. */
  String named(String name) {
    return folder == null ? name : folder.resolve(name).toString();
  }

  private static Map<?, ?> readPartner(Path file) throws IOException {
    try {
      if (Json.read(Files.readString(file)) instanceof Map<?, ?> members) return members;
    } catch (Json.SyntaxException malformed) {
      // The exception below says so.
    }
    throw new IOException(file + ": not a valid partner.json; take it from the kit again");
  }
}
