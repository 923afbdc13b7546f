package org.roce4j.port.linux;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Opcode;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Set;
import org.roce4j.port.PortProvider;
import org.roce4j.verbs.Errno;

/**
 * A second copy of this port's classes, in which the system calls that open something or send ask
 * {@link SystemCalls} first.
 */
final class FailingLibc extends ClassLoader {
  private static final String OURS = FailingLibc.class.getPackageName() + ".";
  private static final String SHARED = SystemCalls.class.getName();
  private static final Set<String> OPENING =
      Set.of("socket", "bind", "connect", "setsockopt", "eventfd");
  private static final Set<String> SENDING = Set.of("trySendto", "trySendmsg", "sendmsg");
  private static final ClassDesc CALLS = ClassDesc.of(SHARED);
  private static final MethodTypeDesc ASKED = MethodTypeDesc.of(ConstantDescs.CD_boolean);
  private static final MethodTypeDesc SEND = MethodTypeDesc.of(ConstantDescs.CD_int);

  FailingLibc() {
    super(FailingLibc.class.getClassLoader());
  }

  PortProvider provider() {
    try {
      Class<?> copied = loadClass(LinuxPortProvider.class.getName());
      return (PortProvider) copied.getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(OURS) || name.equals(SHARED)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : define(name);
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    byte[] bytes;
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      bytes = in.readAllBytes();
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
    if (name.equals(Libc.class.getName())) {
      bytes = asking(bytes, OPENING, new Asking());
      bytes = asking(bytes, SENDING, new AskingWhatToReturn());
    }
    return defineClass(name, bytes, 0, bytes.length);
  }

  private byte[] asking(byte[] original, Set<String> methods, CodeTransform how) {
    ClassFile classFile =
        ClassFile.of(
            ClassFile.ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(getParent())));
    return classFile.transformClass(
        classFile.parse(original),
        ClassTransform.transformingMethodBodies(
            method -> methods.contains(method.methodName().stringValue()), how));
  }

  private static final class AskingWhatToReturn implements CodeTransform {
    @Override
    public void atStart(CodeBuilder code) {
      code.invokestatic(CALLS, "sendFails", SEND);
      code.dup();
      code.ifThen(Opcode.IFNE, failed -> failed.ireturn());
      code.pop();
    }

    @Override
    public void accept(CodeBuilder code, CodeElement element) {
      code.with(element);
    }
  }

  /** A call that fails does nothing, as its like in the kernel. */
  private static final class Asking implements CodeTransform {
    @Override
    public void atStart(CodeBuilder code) {
      code.invokestatic(CALLS, "fails", ASKED);
      code.ifThen(failed -> failed.loadConstant(-Errno.EPERM.number()).ireturn());
    }

    @Override
    public void accept(CodeBuilder code, CodeElement element) {
      code.with(element);
    }
  }
}
