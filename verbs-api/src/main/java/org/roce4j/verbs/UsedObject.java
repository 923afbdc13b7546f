package org.roce4j.verbs;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.roce4j.verbs.text.Wording;

/**
 * Which objects an object was made with, and the words that refuse to destroy one of those before
 * it. The same for every backend, so that a program reads the same everywhere.
 */
public final class UsedObject {
  /** The number of users of a kind that are named; of the others the number is told. */
  private static final int NAMED = 3;

  private UsedObject() {}

  /**
   * Whether an object was made with another, which therefore must outlive it, as far as it tells by
   * its interface. A backend adds what no interface tells: device memory of a region, the region
   * that a window is bound to, the thread domain of a parent domain.
   */
  public static boolean isMadeWith(Object user, Object used) {
    return madeWith(user).contains(used);
  }

  private static List<Object> madeWith(Object user) {
    return switch (user) {
      case QueuePair qp ->
          Arrays.asList(qp.pd(), qp.sendCq(), qp.recvCq(), qp.srq(), qp.initAttr().xrcd());
      case SharedReceiveQueue srq -> Arrays.asList(srq.pd(), srq.cq(), srq.xrcd());
      case CompletionQueue cq -> Arrays.asList(cq.channel());
      case MemoryRegion region -> List.of(region.pd());
      case MemoryWindow window -> List.of(window.pd());
      case AddressHandle ah -> List.of(ah.pd());
      case ProtectionDomain pd when pd.beneath() != pd -> List.of(pd.beneath());
      default -> List.of();
    };
  }

  /**
   * The object, its users and the remedy.
   *
   * @param users at least one
   * @param kind what the backend calls objects of a user's kind
   */
  public static <T> String words(Object used, Collection<T> users, Function<T, String> kind) {
    Map<String, List<T>> kinds =
        users.stream().collect(Collectors.groupingBy(kind, TreeMap::new, Collectors.toList()));
    String list =
        kinds.entrySet().stream()
            .map(each -> words(each.getKey(), each.getValue()))
            .collect(Collectors.joining(", "));
    return Wording.of(
        "%s is used by %s: close %s first", used, list, users.size() == 1 ? "that" : "those");
  }

  private static String words(String kind, List<?> users) {
    String named =
        users.stream().limit(NAMED).map(Object::toString).collect(Collectors.joining("; "));
    String more = users.size() > NAMED ? "; ..." : "";
    return Wording.of(
        "%d %s%s (%s%s)", users.size(), kind, users.size() == 1 ? "" : "s", named, more);
  }
}
