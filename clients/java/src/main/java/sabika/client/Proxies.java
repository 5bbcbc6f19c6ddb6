package sabika.client;

import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** The proxy that connections go through. */
final class Proxies {
  private Proxies() {}

  /** Returns the selector of a proxy, {@code http://host:port}. */
  static ProxySelector of(URI proxy) {
    boolean isPlain = "http".equals(proxy.getScheme()) && proxy.getHost() != null
        && proxy.getPort() > 0 && proxy.getUserInfo() == null;
    if (isPlain) return ProxySelector.of(new InetSocketAddress(proxy.getHost(), proxy.getPort()));
    throw new IllegalArgumentException("a proxy must be http://host:port, without a password");
  }

  /** Returns the environment's proxy to a service, else the system's; none to this machine, as in Go. */
  static ProxySelector ofEnvironment(URI service, Map<String, String> variables) {
    String proxy = variable(variables, "HTTPS_PROXY");
    String host = service.getHost();
    boolean isHere = host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]");
    boolean isExempt = Stream.of(variable(variables, "NO_PROXY").split(","))
        .map(String::trim)
        .map(name -> name.startsWith(".") ? name.substring(1) : name)
        .filter(name -> !name.isEmpty())
        .anyMatch(name -> name.equals("*") || host.equals(name) || host.endsWith("." + name));
    if (proxy.isEmpty() || isHere || isExempt) return ProxySelector.getDefault();
    return of(URI.create(proxy));
  }

  private static String variable(Map<String, String> variables, String name) {
    String lower = variables.getOrDefault(name.toLowerCase(Locale.ROOT), "");
    return variables.getOrDefault(name, lower);
  }
}
