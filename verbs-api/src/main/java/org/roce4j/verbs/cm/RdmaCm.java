package org.roce4j.verbs.cm;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.VerbsProvider;
import org.roce4j.verbs.Wrapper;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/**
 * The connection manager over opened devices of one provider. Ids, channels and default protection
 * domains belong to it, and {@link #close} closes them. Thread-safe.
 *
 * <pre>{@code
 * try (Context device = Verbs.device("roce0").open();
 *     RdmaCm cm = RdmaCm.open(device);
 *     CmId id = cm.createId(PortSpace.TCP)) {
 *   id.resolveAddr(null, new InetSocketAddress("127.0.0.2", 7471), 2000);
 *   id.resolveRoute(2000);
 *   id.createQp(null, new QpInitAttr());
 *   id.connect(new ConnParam());
 * }
 * }</pre>
 */
public final class RdmaCm implements AutoCloseable {
  private final CmProvider provider;
  private final List<Context> contexts;
  private final List<Context> ownContexts;
  private final Map<Context, ProtectionDomain> defaultPds = new HashMap<>();
  private final Map<Context, XrcDomain> defaultXrcds = new HashMap<>();

  /** In the order in which they were made, so that what they send at the end is repeatable. */
  private final Map<ProviderId, CmId> ids = Collections.synchronizedMap(new LinkedHashMap<>());

  private final List<EventChannel> channels = new CopyOnWriteArrayList<>();
  private volatile boolean closed;

  private RdmaCm(CmProvider provider, List<Context> contexts, List<Context> ownContexts) {
    this.provider = provider;
    this.contexts = contexts;
    this.ownContexts = ownContexts;
  }

  /**
   * The connection manager over these contexts, which the caller closes.
   *
   * @param contexts at least one, of devices of one provider
   * @throws VerbsException EINVAL if there is none, or they are of several providers; EOPNOTSUPP if
   *     the provider has no connection manager
   */
  public static RdmaCm open(Context... contexts) {
    for (Context context : RequiredArgument.check(contexts, "contexts")) {
      RequiredArgument.check(context, "a context");
    }
    return over(List.of(contexts), List.of());
  }

  /**
   * The connection manager over every device of the first provider that has one; the devices are
   * opened, and closed with it. A device that cannot be opened is skipped.
   *
   * @throws VerbsException ENODEV if there is no device, or the last failure if none can be opened
   */
  public static RdmaCm open() {
    VerbsException refused = null;
    for (VerbsProvider provider : Verbs.providers()) {
      List<Context> opened = new ArrayList<>();
      for (RdmaDevice device :
          provider instanceof CmProvider ? provider.devices() : List.<RdmaDevice>of()) {
        try {
          opened.add(device.open());
        } catch (VerbsException e) {
          refused = e;
        }
      }
      if (!opened.isEmpty()) {
        return over(opened, opened);
      }
    }
    throw refused != null
        ? refused
        : Errno.ENODEV.refusal(
            "no backend has devices with a connection manager; see Verbs.providers()");
  }

  private static RdmaCm over(List<Context> contexts, List<Context> own) {
    if (contexts.isEmpty()) {
      throw Errno.EINVAL.refusal("contexts is empty: open a device first");
    }
    VerbsProvider provider = contexts.getFirst().device().provider();
    for (Context context : contexts) {
      if (context.device().provider() != provider) {
        throw Errno.EINVAL.refusal(
            "the devices are of several providers, %s and %s: open a connection manager for"
                + " each",
            provider.name(), context.device().provider().name());
      }
    }
    if (!(provider instanceof CmProvider manager)) {
      throw new VerbsException(
          Errno.EOPNOTSUPP,
          "the provider '" + provider.name() + "' has no connection manager: exchange addresses");
    }
    return new RdmaCm(manager, List.copyOf(contexts), List.copyOf(own));
  }

  /** {@code rdma_get_devices}: the contexts that ids may be bound to. */
  public List<Context> devices() {
    return contexts;
  }

  /**
   * {@code rdma_create_event_channel}.
   *
   * @throws VerbsException ENODEV if the backend has no connection manager here, and why; EINVAL
   *     after {@link #close}
   */
  public EventChannel createEventChannel() {
    EventChannel channel =
        new EventChannel(
            this, provider.openCmChannel(contexts.stream().map(Wrapper::innermost).toList()));
    channels.add(channel);
    if (closed) {
      channel.end();
      throw Errno.EINVAL.refusal("the connection manager is closed");
    }
    return channel;
  }

  /**
   * {@code rdma_create_id} without channel: a synchronous id. Its calls wait until they are done;
   * {@link CmId#event} has the outcome of the last one.
   *
   * @throws VerbsException as {@link #createEventChannel}
   */
  public CmId createId(PortSpace ps) {
    return createId(RequiredArgument.check(ps, "ps"), ps.qpType());
  }

  CmId createId(PortSpace ps, QpType qpType) {
    EventChannel channel = createEventChannel();
    try {
      CmId id = channel.createId(ps, qpType, null);
      id.delivery().ownChannel();
      return id;
    } catch (VerbsException e) {
      channel.close();
      throw e;
    }
  }

  /**
   * {@code rdma_create_ep}: a synchronous id with address and route resolved and a queue pair,
   * ready to connect; or, with {@link AddrInfo#PASSIVE}, bound and ready to listen: then each id of
   * {@link CmId#getRequest} gets such a queue pair. {@link CmId#close} is {@code rdma_destroy_ep}.
   *
   * @param info without a type or a port space: that of the other
   * @param pd null: the device's default domain
   * @param attr null: no queue pair; left as it is, the type is that of {@code info}
   * @throws VerbsException EINVAL for datagrams in a port space of connections, or the reverse; as
   *     {@link CmId#bindAddr}, {@link CmId#resolveAddr}, {@link CmId#resolveRoute} and {@link
   *     CmId#createQp}
   */
  public CmId createEp(AddrInfo info, ProtectionDomain pd, QpInitAttr attr) {
    return Endpoint.create(this, RequiredArgument.check(info, "info"), pd, attr);
  }

  /**
   * The library's protection domain of a device, allocated on first use.
   *
   * @throws VerbsException EINVAL after {@link #close}
   */
  ProtectionDomain defaultPd(Context context) {
    synchronized (defaultPds) {
      checkOpen();
      return defaultPds.computeIfAbsent(context, Context::allocPd);
    }
  }

  /** The library's XRC domain of a device, opened on first use. */
  XrcDomain defaultXrcd(Context context) {
    synchronized (defaultXrcds) {
      checkOpen();
      return defaultXrcds.computeIfAbsent(context, device -> device.openXrcd(new XrcdInitAttr()));
    }
  }

  private void checkOpen() {
    if (closed) {
      throw Errno.EINVAL.refusal("the connection manager is closed");
    }
  }

  /** The context that the program gave, which may be a decorator, for the provider's. */
  Context given(Context provided) {
    return contexts.stream()
        .filter(context -> Wrapper.innermost(context) == provided)
        .findFirst()
        .orElse(provided);
  }

  CmId idOf(ProviderId id) {
    return id == null ? null : ids.get(id);
  }

  /**
   * Takes an id in.
   *
   * @throws VerbsException EINVAL, and the id is closed, if {@link #close} was called
   */
  CmId add(CmId id) {
    ids.put(id.provided(), id);
    if (closed) {
      id.delivery().debt().abandon();
      id.close();
      throw Errno.EINVAL.refusal("the connection manager is closed");
    }
    return id;
  }

  void remove(CmId id) {
    ids.remove(id.provided(), id);
  }

  void remove(EventChannel channel) {
    channels.remove(channel);
  }

  /** The open ids of a channel. */
  List<CmId> idsOf(EventChannel channel) {
    return allIds().stream().filter(id -> id.channel() == channel).toList();
  }

  private List<CmId> allIds() {
    synchronized (ids) {
      return List.copyOf(ids.values());
    }
  }

  /**
   * Closes every id with what it made, every channel, the default protection domains, and the
   * devices that it opened itself. It does not wait for events that are not acknowledged.
   * Idempotent.
   *
   * @throws VerbsException EBUSY if an object of the program still uses a default domain or an id's
   *     shared receive queue; EINTR as {@link CmId#close}. What was refused is closed by another
   *     call
   */
  @Override
  public void close() {
    closed = true;
    closeIds();
    channels.forEach(EventChannel::end);
    synchronized (defaultXrcds) {
      defaultXrcds.values().removeIf(RdmaCm::closed);
    }
    synchronized (defaultPds) {
      defaultPds.values().removeIf(RdmaCm::closed);
    }
    ownContexts.forEach(Context::close);
  }

  /** Closes every id, even if one refuses. */
  private void closeIds() {
    VerbsException refused = null;
    for (CmId id : allIds()) {
      try {
        id.delivery().debt().abandon();
        id.close();
      } catch (VerbsException e) {
        refused = refused == null ? e : refused;
      }
    }
    if (refused != null) {
      throw refused;
    }
  }

  private static boolean closed(ProtectionDomain pd) {
    pd.close();
    return true;
  }

  private static boolean closed(XrcDomain xrcd) {
    xrcd.close();
    return true;
  }

  @Override
  public String toString() {
    return "connection manager of " + contexts.stream().map(c -> c.device().name()).toList();
  }
}
