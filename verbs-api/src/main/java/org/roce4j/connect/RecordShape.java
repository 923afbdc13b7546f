package org.roce4j.connect;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/** The components of a record type, the encoding of each, and the constructor. */
final class RecordShape<R extends Record> {
  private final Class<R> type;
  private final List<Component> components;
  private final Constructor<R> constructor;

  /** One component of a record. */
  private record Component(String name, Method accessor, Form form) {}

  /** The encoding of a component type. */
  private interface Form {
    /** The type's name in the signature. */
    String name();

    void write(Object value, DataOutputStream out) throws IOException;

    Object read(DataInputStream in) throws IOException;
  }

  /** Writes a value. */
  private interface Writer {
    void write(Object value, DataOutputStream out) throws IOException;
  }

  /** Reads a value. */
  private interface Reader {
    Object read(DataInputStream in) throws IOException;
  }

  private record Simple(String name, Writer writer, Reader reader) implements Form {
    @Override
    public void write(Object value, DataOutputStream out) throws IOException {
      writer.write(value, out);
    }

    @Override
    public Object read(DataInputStream in) throws IOException {
      return reader.read(in);
    }
  }

  private record Nested<N extends Record>(RecordShape<N> shape) implements Form {
    @Override
    public String name() {
      return shape.signature();
    }

    @Override
    public void write(Object value, DataOutputStream out) throws IOException {
      shape.write(shape.type.cast(value), out);
    }

    @Override
    public Object read(DataInputStream in) throws IOException {
      return shape.read(in);
    }
  }

  private RecordShape(Class<R> type, Set<Class<?>> around) {
    if (!around.add(type)) {
      throw refused(type, "it contains itself; send its parts");
    }
    this.type = type;
    this.components = new ArrayList<>();
    List<Class<?>> types = new ArrayList<>();
    try {
      for (RecordComponent each : type.getRecordComponents()) {
        Method accessor = each.getAccessor();
        accessor.setAccessible(true);
        types.add(each.getType());
        components.add(new Component(each.getName(), accessor, form(type, each, around)));
      }
      constructor = type.getDeclaredConstructor(types.toArray(new Class<?>[0]));
      constructor.setAccessible(true);
    } catch (InaccessibleObjectException e) {
      throw refused(
          type, "its module does not open package " + type.getPackageName() + "; open it", e);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("a record has a canonical constructor", e);
    }
    around.remove(type);
  }

  static <R extends Record> RecordShape<R> of(Class<R> type) {
    return new RecordShape<>(type, new LinkedHashSet<>());
  }

  private static Form form(Class<?> type, RecordComponent component, Set<Class<?>> around) {
    Class<?> of = component.getType();
    if (of.isRecord()) {
      return new Nested<>(new RecordShape<>(of.asSubclass(Record.class), around));
    }
    Form simple = simple(of);
    if (simple == null) {
      throw refused(
          type,
          Wording.of(
              "component '%s' is of %s; primitives, String, byte[] and records can be sent",
              component.getName(), of.getTypeName()));
    }
    return simple;
  }

  private static Form simple(Class<?> type) {
    return switch (type.getTypeName()) {
      case "boolean" -> number(type, (v, o) -> o.writeBoolean((Boolean) v), i -> i.readBoolean());
      case "byte" -> number(type, (v, out) -> out.writeByte((Byte) v), in -> in.readByte());
      case "short" -> number(type, (v, out) -> out.writeShort((Short) v), in -> in.readShort());
      case "char" -> number(type, (v, out) -> out.writeChar((Character) v), in -> in.readChar());
      case "int" -> number(type, (v, out) -> out.writeInt((Integer) v), in -> in.readInt());
      case "long" -> number(type, (v, out) -> out.writeLong((Long) v), in -> in.readLong());
      case "float" -> number(type, (v, out) -> out.writeFloat((Float) v), in -> in.readFloat());
      case "double" -> number(type, (v, out) -> out.writeDouble((Double) v), in -> in.readDouble());
      case "java.lang.String" ->
          new Simple(
              "String",
              (value, out) -> writeBytes(Text.encode((String) value), out),
              in -> Text.decode(readBytes(in)));
      case "byte[]" ->
          new Simple("byte[]", (v, out) -> writeBytes((byte[]) v, out), RecordShape::readBytes);
      default -> null;
    };
  }

  private static Form number(Class<?> type, Writer writer, Reader reader) {
    return new Simple(type.getName(), writer, reader);
  }

  private static void writeBytes(byte[] bytes, DataOutputStream out) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  /** Checks the length against the message before it allocates memory. */
  private static byte[] readBytes(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > in.available()) {
      throw new EOFException("a length of " + length + " in front of " + in.available() + " bytes");
    }
    return in.readNBytes(length);
  }

  String signature() {
    StringJoiner all = new StringJoiner(",", type.getSimpleName() + "(", ")");
    components.forEach(each -> all.add(each.form().name() + " " + each.name()));
    return all.toString();
  }

  void write(R message, DataOutputStream out) throws IOException {
    for (Component each : components) {
      Object value = valueOf(each, message);
      if (value == null) {
        throw Errno.EINVAL.refusal(
            "component '%s' of the %s is null: give it a value", each.name(), type.getSimpleName());
      }
      each.form().write(value, out);
    }
  }

  private Object valueOf(Component component, R message) {
    try {
      return component.accessor().invoke(message);
    } catch (InvocationTargetException e) {
      throw new VerbsException(
          Errno.EINVAL,
          Wording.of(
              "component '%s' of the %s cannot be read: %s",
              component.name(), type.getSimpleName(), e.getCause()),
          e);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("was made accessible", e);
    }
  }

  R read(DataInputStream in) throws IOException {
    Object[] values = new Object[components.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = components.get(i).form().read(in);
    }
    try {
      return constructor.newInstance(values);
    } catch (InvocationTargetException e) {
      throw new VerbsException(
          Errno.EBADMSG,
          Wording.of(
              "%s refuses the values that came: %s; give both programs the same rules",
              type.getSimpleName(), e.getCause()),
          e);
    } catch (InstantiationException | IllegalAccessException e) {
      throw new IllegalStateException("was made accessible", e);
    }
  }

  private static VerbsException refused(Class<?> type, String why) {
    return refused(type, why, null);
  }

  private static VerbsException refused(Class<?> type, String why, Exception cause) {
    return new VerbsException(
        Errno.EINVAL, "record " + type.getSimpleName() + " cannot be sent: " + why, cause);
  }
}
